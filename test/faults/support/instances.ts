import { kill, send, type ServiceProcess, startProcess } from '../../support/service-process.js';

/** Returns the current addresses of the instances. There may be none for a while. */
export type Urls = () => readonly string[];

/** Starts two instances on one database in their own processes, which a test kills and restarts. */
export async function startTwoInstances(variables: Record<string, string>) {
  const running: (ServiceProcess | undefined)[] = await Promise.all([
    startProcess(variables),
    startProcess(variables),
  ]);
  return {
    urls: () => running.flatMap((one) => one?.url ?? []),
    /** Kills an instance immediately, as a power cut would. Later requests go to the other one. */
    kill: async (index: number) => {
      const victim = running[index];
      running[index] = undefined;
      if (victim !== undefined) await kill(victim);
    },
    restart: async (index: number) => {
      running[index] = await startProcess(variables);
    },
  };
}

type Response = Awaited<ReturnType<typeof send>>;

/**
 * Sends requests round robin, or to a given instance. Without a response, the status is 0 and `error` is the
 * connection's error code.
 */
export function sendRoundRobin(urls: Urls, key: string) {
  let turn = 0;
  return async (
    request: Omit<Parameters<typeof send>[1], 'key'>,
    url?: string,
  ): Promise<
    Pick<Response, 'status' | 'headers'> & { body?: Response['body']; error?: string }
  > => {
    const all = urls();
    try {
      return await send(url ?? all[turn++ % all.length] ?? '', { ...request, key });
    } catch (error) {
      const { cause } = error as { cause?: NodeJS.ErrnoException };
      return { status: 0, headers: new Headers(), error: cause?.code ?? String(error) };
    }
  };
}
