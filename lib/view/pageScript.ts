// The page's only script: asks for the fragment every second, leaves the page alone while text is selected.

export const pageScript = `
const live = document.getElementById('live');
const lost = document.getElementById('lost');
let misses = 0;
async function refresh() {
  if (!document.hidden) {
    try {
      const answer = await fetch('fragment', { cache: 'no-store', signal: AbortSignal.timeout(5000) });
      if (!answer.ok) throw new Error(answer.status);
      const text = await answer.text();
      const selection = getSelection();
      if (!selection || selection.isCollapsed) live.innerHTML = text;
      misses = 0;
    } catch {
      misses += 1;
    }
    lost.hidden = misses < 2;
  }
  setTimeout(refresh, 1000);
}
setTimeout(refresh, 1000);
document.addEventListener('visibilitychange', () => { if (!document.hidden) misses = 0; });
`;
