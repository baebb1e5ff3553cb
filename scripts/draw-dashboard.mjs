// Draws the panels of ops/dashboard.json from what a Prometheus has, where there is no Grafana:
// `node scripts/draw-dashboard.mjs --prometheus http://127.0.0.1:9090 --minutes 10 --to dashboard.png`
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import chromium from '@sparticuz/chromium';
import puppeteer from 'puppeteer-core';

const { values } = parseArgs({
  options: {
    prometheus: { type: 'string', default: 'http://127.0.0.1:9090' },
    minutes: { type: 'string', default: '10' },
    to: { type: 'string', default: 'dashboard.png' },
  },
});
const end = Date.now() / 1_000;
const start = end - Number(values.minutes) * 60;
const step = Math.max(1, Math.round((end - start) / 120));
const colors = [
  '#3366cc',
  '#dc3912',
  '#109618',
  '#ff9900',
  '#990099',
  '#0099c6',
  '#dd4477',
  '#66aa00',
];
/** Pixels of a panel's cell in the grid of 24 columns. */
const cell = { width: 50, height: 30 };

const { title, panels } = JSON.parse(await readFile('ops/dashboard.json', 'utf8'));
const drawn = await Promise.all(panels.map(drawPanel));
await writePicture(`<h1>${escape(title)}</h1><main>${drawn.join('')}</main>`, values.to);

/** The lines of a panel; each has a name and pairs of time and value. */
async function linesOf({ targets = [] }) {
  const answers = await Promise.all(
    targets.map(async ({ expr, legendFormat = '' }) => {
      const query = expr.replaceAll('$__rate_interval', `${Math.max(30, 4 * step)}s`);
      const url = `${values.prometheus}/api/v1/query_range?${new URLSearchParams({ query, start, end, step })}`;
      const { status, data, error } = await (await fetch(url)).json();
      if (status !== 'success') throw new Error(`${query}: ${error}`);
      return data.result.map(({ metric, values: points }) => ({
        name: nameOf(legendFormat, metric),
        points: points
          .map(([time, value]) => [time, Number(value)])
          .filter(([, value]) => Number.isFinite(value)),
      }));
    }),
  );
  return answers.flat();
}

function nameOf(legend, metric) {
  const { __name__: name = '', ...labels } = metric;
  if (legend !== '' && legend !== '__auto') {
    return legend.replaceAll(/{{\s*(\w+)\s*}}/g, (_, label) => metric[label] ?? '');
  }
  return Object.values(labels).join(' ') || name;
}

async function drawPanel(panel) {
  const { x, y, w, h } = panel.gridPos;
  const [width, height] = [w * cell.width, h * cell.height];
  const lines = await linesOf(panel);
  const unit = panel.fieldConfig?.defaults?.unit;
  const body =
    panel.type === 'stat'
      ? drawNumber(lines, unit)
      : drawChart(lines, unit, width - 20, height - 70);
  const place = `left:${x * cell.width}px;top:${y * cell.height}px;width:${width - 8}px;height:${height - 8}px`;
  return `<section style="${place}"><h2>${escape(panel.title)}</h2>${body}</section>`;
}

function drawNumber([line], unit) {
  return `<p class="number">${line === undefined ? 'no data' : formatted(line.points.at(-1)?.[1], unit)}</p>`;
}

function drawChart(lines, unit, width, height) {
  const highest =
    Math.max(...lines.flatMap(({ points }) => points.map(([, value]) => value)), 0) || 1;
  const at = ([time, value]) =>
    `${(((time - start) / (end - start)) * width).toFixed(1)},${(height - (value / highest) * (height - 12)).toFixed(1)}`;
  const paths = lines.map(
    ({ points }, index) =>
      `<polyline points="${points.map(at).join(' ')}" stroke="${colors[index % colors.length]}"/>`,
  );
  const legend = lines.map(
    ({ name, points }, index) =>
      `<li style="color:${colors[index % colors.length]}">${escape(name)} ${formatted(points.at(-1)?.[1], unit)}</li>`,
  );
  return `<svg width="${width}" height="${height}"><text x="2" y="10">${formatted(highest, unit)}</text>${paths.join('')}</svg><ul>${legend.join('')}</ul>`;
}

function formatted(value, unit) {
  if (value === undefined) return '–';
  if (unit === 'percentunit') return `${(value * 100).toFixed(1)} %`;
  if (unit === 'bytes') return `${(value / 1_048_576).toFixed(0)} MiB`;
  const digits = value >= 1 ? Number(value < 100) : 3;
  const suffixes = { s: ' s', reqps: ' req/s', ops: ' /s' };
  return `${value.toFixed(digits)}${suffixes[unit] ?? ''}`;
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

async function writePicture(html, path) {
  const profile = await mkdtemp(join(tmpdir(), 'integration-api-browser-'));
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM_PATH ?? (await chromium.executablePath()),
    headless: true,
    args: ['--no-sandbox', '--disable-gpu'],
    userDataDir: profile,
  });
  try {
    const page = await browser.newPage();
    const rows = Math.max(...panels.map(({ gridPos: { y, h } }) => y + h));
    await page.setViewport({ width: 24 * cell.width + 40, height: rows * cell.height + 80 });
    const style = `body{font:12px sans-serif;margin:16px;background:#f4f5f5} h1{font-size:18px} main{position:relative}
      section{position:absolute;background:#fff;border:1px solid #ddd;box-sizing:border-box;padding:6px;overflow:hidden}
      h2{font-size:12px;margin:0 0 4px} .number{font-size:28px;margin:12px 4px} polyline{fill:none;stroke-width:1.5}
      text{font-size:10px;fill:#666} ul{list-style:none;margin:0;padding:0} li{display:inline;margin-right:12px;font-size:10px}`;
    await page.setContent(`<!doctype html><style>${style}</style>${html}`);
    await page.screenshot({ path, fullPage: true });
  } finally {
    await browser.close();
    await rm(profile, { recursive: true, force: true });
  }
}
