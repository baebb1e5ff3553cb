// Pages work without this script, which adds local times, chart values under the pointer, and reloading.
const seconds = Number(document.body.dataset.refreshSeconds);
const language = `${document.documentElement.lang}-u-nu-latn`;
const offset = new Date().getTimezoneOffset();

function addLocalTimes(root) {
  if (offset === 0) return;
  for (const element of root.querySelectorAll('time')) {
    const time = new Date(element.dateTime);
    const isSameDay = time.getDate() === time.getUTCDate();
    const day = isSameDay ? {} : { day: 'numeric', month: 'short' };
    const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' };
    const local = document.createElement('small');
    local.textContent = ` (${time.toLocaleString(language, { ...day, ...clock })})`;
    element.append(local);
  }
}

function showStep(chart, step) {
  const row = [...chart.querySelectorAll('tbody tr')].at(-1 - step);
  const places = chart.querySelectorAll('.legend li:first-child > *, .legend b');
  for (const [index, place] of places.entries()) place.textContent = row.cells[index].textContent;
  chart.querySelector('.mark').setAttribute('x', step);
  const range = chart.querySelector('input');
  range.value = step;
  const legend = [...chart.querySelectorAll('.legend li')].map(({ textContent }) => textContent);
  range.setAttribute('aria-valuetext', legend.join(', '));
}

function enhance(root) {
  addLocalTimes(root);
  for (const button of root.querySelectorAll('[data-copies]')) button.hidden = false;
  for (const range of root.querySelectorAll('.plot input'))
    showStep(range.closest('.chart'), Number(range.max));
}

document.addEventListener('click', ({ target }) => {
  const { copies, done } = target.dataset;
  if (copies === undefined) return;
  const copied = navigator.clipboard.writeText(document.getElementById(copies).textContent);
  void copied.then(() => (target.textContent = done));
});
document.addEventListener('input', ({ target }) => {
  if (target.matches('.plot input')) showStep(target.closest('.chart'), Number(target.value));
});
document.addEventListener('pointermove', ({ target, clientX }) => {
  const bars = target.closest('.plot .bars');
  if (bars === null) return;
  const { left, width } = bars.getBoundingClientRect();
  const last = Number(bars.closest('.plot').querySelector('input').max);
  const step = Math.floor(((clientX - left) / width) * (last + 1));
  showStep(bars.closest('.chart'), Math.min(last, Math.max(0, step)));
});

/** A reload would disturb a reader who types, reads a chart or has opened a table. */
const isBusy = () =>
  document.hidden ||
  ['INPUT', 'SELECT', 'TEXTAREA'].includes(document.activeElement?.tagName ?? '') ||
  document.querySelector('details[open], .chart:hover') !== null;

async function refresh() {
  if (isBusy()) return;
  try {
    const response = await fetch(location.href, { redirect: 'error' });
    if (!response.ok || isBusy()) return;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const [shown, loaded] = [document, page].map((one) => one.querySelector('main'));
    if (shown === null || loaded === null) return;
    shown.replaceChildren(...loaded.childNodes);
    enhance(shown);
  } catch {
    // The session ended or the service is down. The old page stays, and shows when it was read.
  }
}

enhance(document);
if (seconds > 0) setInterval(() => void refresh(), seconds * 1_000);
