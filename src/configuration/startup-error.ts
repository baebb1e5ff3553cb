/** Why a process cannot start, with what to do about it: whoever reads the message needs no stack. */
export class StartupError extends Error {}
