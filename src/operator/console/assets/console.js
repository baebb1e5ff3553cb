// Loads a page again that asks for it, unless the reader is typing or has opened something.
const seconds = Number(document.body.dataset.refreshSeconds);

const isBusy = () =>
  document.hidden ||
  ['INPUT', 'SELECT', 'TEXTAREA'].includes(document.activeElement?.tagName ?? '') ||
  document.querySelector('details[open]') !== null;

async function refresh() {
  if (isBusy()) return;
  try {
    const response = await fetch(location.href, { redirect: 'error' });
    if (!response.ok || isBusy()) return;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const [shown, loaded] = [document, page].map((one) => one.querySelector('main'));
    if (shown !== null && loaded !== null) shown.replaceChildren(...loaded.childNodes);
  } catch {
    // The session is over or the service is away: what is shown says of when it is.
  }
}

if (seconds > 0) setInterval(() => void refresh(), seconds * 1_000);
