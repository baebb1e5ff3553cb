/**
 * The folder of the program: `src` as it is written, `build` compiled, `dist` bundled. What lies beside the modules (texts,
 * pages, demo data) is found from here, because a bundle leaves no module where it was.
 */
export const programFolder = import.meta.dirname;
