/** What asks a process to end: Ctrl-C, a supervisor, a terminal that is closed. */
export const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
