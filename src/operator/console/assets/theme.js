// Runs before the page is drawn: Tabler takes its colors from this attribute.
const scheme = matchMedia('(prefers-color-scheme: dark)');
const apply = () => {
  document.documentElement.dataset.bsTheme = scheme.matches ? 'dark' : 'light';
};
apply();
scheme.addEventListener('change', apply);
