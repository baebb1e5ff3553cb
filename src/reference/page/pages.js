// Chooses light or dark before the page is painted. The reference stores its own switch in the same place.
const root = document.documentElement;
const isDarkSystem = matchMedia('(prefers-color-scheme: dark)');

function applyTheme() {
  const stored = localStorage.getItem('colorMode');
  const isDark = stored === 'dark' || (stored !== 'light' && isDarkSystem.matches);
  root.dataset.theme = isDark ? 'dark' : 'light';
}

applyTheme();
isDarkSystem.addEventListener('change', applyTheme);
addEventListener('storage', applyTheme);
addEventListener('DOMContentLoaded', () => {
  const button = document.querySelector('#theme');
  if (button === null) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    localStorage.setItem('colorMode', root.dataset.theme === 'dark' ? 'light' : 'dark');
    applyTheme();
  });
});
