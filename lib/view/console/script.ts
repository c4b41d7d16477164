// The console's only script: receives changed regions from the event stream and updates only DOM nodes that differ.

/** Unchanged elements keep focus, selection and scroll position; typed text and opened details are kept. */
export const consoleScript = `
const lost = document.getElementById('lost');
const main = document.getElementById('main');
const prefix = 'r-';
const frame = new Set(['status', 'notices', 'rights']);
function same(a, b) {
  return a && a.nodeType === b.nodeType && a.nodeName === b.nodeName && (a.id || '') === (b.id || '');
}
function morphAttributes(from, to) {
  for (const { name } of [...from.attributes]) if (!to.hasAttribute(name) && name !== 'open') from.removeAttribute(name);
  for (const { name, value } of to.attributes) if (from.getAttribute(name) !== value) from.setAttribute(name, value);
}
function morph(from, to) {
  if (from.nodeType === 3) { if (from.data !== to.data) from.data = to.data; return; }
  if (from.nodeType !== 1) return;
  if (from === document.activeElement && /^(INPUT|SELECT|TEXTAREA)$/.test(from.nodeName)) return;
  morphAttributes(from, to);
  morphChildren(from, to);
}
function morphChildren(from, to) {
  let at = from.firstChild;
  for (const next of [...to.childNodes]) {
    let found = at;
    while (found && !same(found, next)) found = next.id ? found.nextSibling : null;
    if (!found) { from.insertBefore(next, at); continue; }
    while (at !== found) { const old = at; at = at.nextSibling; old.remove(); }
    at = found.nextSibling;
    morph(found, next);
  }
  while (at) { const old = at; at = at.nextSibling; old.remove(); }
}
function parsed(tag, html) {
  const holder = document.createElement(tag);
  holder.innerHTML = html;
  return holder;
}
function apply({ order, set }) {
  for (const [id, html] of Object.entries(set)) {
    const target = document.getElementById(frame.has(id) ? id : prefix + id);
    if (target) { morphChildren(target, parsed('div', html)); continue; }
    const made = parsed('div', html);
    made.id = prefix + id;
    made.className = 'region';
    main.append(made);
  }
  if (!order) return;
  const wanted = order.map((id) => prefix + id);
  for (const one of [...main.querySelectorAll(':scope > .region')]) if (!wanted.includes(one.id)) one.remove();
  let before = main.firstElementChild;
  for (const id of wanted) {
    const one = document.getElementById(id);
    while (before && !before.classList.contains('region')) before = before.nextElementSibling;
    if (one && one !== before) main.insertBefore(one, before); else if (before) before = before.nextElementSibling;
  }
}
let timer;
function connect() {
  const stream = new EventSource('/live?of=' + encodeURIComponent(location.pathname + location.search));
  const heard = () => { clearTimeout(timer); lost.hidden = true; timer = setTimeout(() => { lost.hidden = false; }, 10000); };
  stream.addEventListener('open', heard);
  stream.addEventListener('ping', heard);
  stream.addEventListener('patch', (event) => { heard(); apply(JSON.parse(event.data)); });
  stream.addEventListener('error', () => {
    clearTimeout(timer);
    timer = setTimeout(() => { lost.hidden = false; }, 1500);
    if (stream.readyState === EventSource.CLOSED) setTimeout(connect, 2000);
  });
}
if (main.dataset.live !== 'off') connect();
`;
