// Pages work without this script, which draws charts, copies ids and keeps the page current.
const { Chart } = globalThis;
const charts = new Set();
const severities = { good: 'green', warn: 'yellow', bad: 'red', note: 'blue' };
const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
  ['ms', 1],
];

/** A canvas knows no variables, so the browser computes their colors. */
function colorOf(canvas, name) {
  canvas.style.color = `var(--tblr-${name})`;
  return getComputedStyle(canvas).color;
}

function duration(value) {
  const [unit, length] = units.find(([, ms]) => value >= ms) ?? units.at(-1);
  return `${Math.round((10 * value) / length) / 10} ${unit}`;
}

function draw(canvas) {
  const { kind, unit, labels, series } = JSON.parse(canvas.dataset.chart);
  const format = unit === 'duration' ? duration : (value) => value.toLocaleString('en-GB');
  const stacked = kind === 'bar';
  const ticks = { color: colorOf(canvas, 'secondary'), maxRotation: 0, autoSkipPadding: 24 };
  const datasets = series.map(({ name, severity, values }) => {
    const color = colorOf(canvas, severities[severity]);
    const look = stacked ? { categoryPercentage: 1, barPercentage: 0.9 } : { pointRadius: 1 };
    return { label: name, data: values, backgroundColor: color, borderColor: color, ...look };
  });
  const label = ({ dataset, parsed }) => `${dataset.label}: ${format(parsed.y)}`;
  const chart = new Chart(canvas, {
    type: kind,
    data: { labels, datasets },
    options: {
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: 'index', intersect: false },
      scales: {
        x: { stacked, ticks, grid: { display: false } },
        y: {
          stacked,
          beginAtZero: true,
          ticks: { ...ticks, precision: 0, callback: format },
          grid: { color: colorOf(canvas, 'border-color') },
        },
      },
      plugins: {
        legend: { align: 'start', labels: { color: ticks.color, boxWidth: 12 } },
        tooltip: { callbacks: { label } },
      },
    },
  });
  charts.add(chart);
}

function enhance(root) {
  for (const canvas of root.querySelectorAll('canvas[data-chart]')) draw(canvas);
  if (new Date().getTimezoneOffset() === 0) return;
  for (const time of root.querySelectorAll('time'))
    time.title += ` (here ${new Date(time.dateTime).toLocaleString('en-GB')})`;
}

document.addEventListener('click', ({ target }) => {
  const button = target.closest('[data-copy], [data-copy-of]');
  if (button === null) return;
  const { copy, copyOf } = button.dataset;
  const text = copy ?? document.getElementById(copyOf).textContent;
  const copied = navigator.clipboard.writeText(text);
  void copied.then(() => button.classList.add('copied'));
});

/** A reload would disturb a reader who types, reads a chart or has opened details. */
const isBusy = () =>
  document.hidden ||
  ['INPUT', 'SELECT', 'TEXTAREA'].includes(document.activeElement?.tagName ?? '') ||
  document.querySelector('details[open], .plot:hover') !== null;

const secondsOf = ({ body }) => Number(body.dataset.refreshSeconds);
let timer;

/** A page asks for the interval until its next reload, which differs while work is running. */
function schedule(seconds) {
  clearTimeout(timer);
  if (seconds > 0) timer = setTimeout(() => void refresh(seconds), 1_000 * seconds);
}

async function refresh(seconds) {
  let next = seconds;
  try {
    const response = isBusy() ? null : await fetch(location.href, { redirect: 'error' });
    if (response?.ok === true && !isBusy()) next = show(await response.text());
  } catch {
    // The session ended or the service is down; the old page stays.
  }
  schedule(next);
}

function show(html) {
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const chart of charts) chart.destroy();
  charts.clear();
  const main = document.querySelector('main');
  main.replaceChildren(...page.querySelector('main').childNodes);
  enhance(main);
  return secondsOf(page);
}

enhance(document);
schedule(secondsOf(document));
