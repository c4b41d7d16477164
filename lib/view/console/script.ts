// The console's only script: receives changed regions from the event stream and updates only DOM nodes that differ.
import { cutSelector } from './style.ts';

/**
 * Unchanged elements keep focus, selection and scroll position; typed text and opened details are kept. Rows, cards and notices are
 * recognized by their name, so that the focus stays on the button of the same object. Of a page that is still, only the frame is updated.
 * The control that shows long texts in full is there only while a text is cut.
 */
export const consoleScript = `
const lost = document.getElementById('lost');
const main = document.getElementById('main');
const prefix = 'r-';
const frame = new Set(['status', 'notices', 'rights']);
const named = { TR: 'th[scope=row]', ARTICLE: 'h2', P: 'b' };
function keyOf(node) {
  if (node.id || !named[node.nodeName] || (node.nodeName === 'P' && !node.classList.contains('notice'))) return node.id || '';
  const name = node.querySelector(named[node.nodeName]);
  return name ? name.textContent : '';
}
function same(a, b) {
  return a && a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);
}
function refocus(had) {
  if (!had || had === document.body || had === document.activeElement) return;
  const alike = had.isConnected ? had : [...document.querySelectorAll(had.nodeName)].find((one) =>
    one.getAttribute('href') === had.getAttribute('href') && one.name === had.name && one.textContent === had.textContent);
  if (alike) alike.focus({ preventScroll: true });
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
    while (found && !same(found, next)) found = keyOf(next) ? found.nextSibling : null;
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
function apply(patch) {
  const had = document.activeElement;
  change(patch);
  refocus(had);
  offerFullTexts();
}
function change({ order, set }) {
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
const fullTexts = document.querySelector('footer .unfold');
const phone = matchMedia('(max-width:760px)');
function offerFullTexts() {
  if (!phone.matches) return;
  const box = fullTexts.firstElementChild;
  fullTexts.hidden = !box.checked && box !== document.activeElement &&
    [...document.querySelectorAll('.sluice :is(${cutSelector})')].every((one) => one.scrollHeight <= one.clientHeight + 1);
}
offerFullTexts();
addEventListener('resize', offerFullTexts);
addEventListener('change', offerFullTexts);
let timer;
function connect() {
  const of = main.dataset.live === 'off' ? '/' : location.pathname + location.search;
  const { boundTo } = main.dataset;
  const bound = boundTo === undefined ? '' : '&boundTo=' + encodeURIComponent(boundTo);
  const stream = new EventSource('/live?of=' + encodeURIComponent(of) + bound);
  const heard = () => { clearTimeout(timer); lost.hidden = true; timer = setTimeout(() => { lost.hidden = false; }, 10000); };
  stream.addEventListener('open', heard);
  stream.addEventListener('ping', heard);
  stream.addEventListener('patch', (event) => {
    heard();
    if (event.lastEventId) main.dataset.boundTo = event.lastEventId;
    apply(JSON.parse(event.data));
  });
  stream.addEventListener('error', () => {
    clearTimeout(timer);
    timer = setTimeout(() => { lost.hidden = false; }, 1500);
    if (stream.readyState === EventSource.CLOSED) setTimeout(connect, 2000);
  });
}
connect();
`;
