import { kill, type ServiceProcess, startProcess } from '../../support/service-process.js';

/** Instances of the service in processes of their own, which a test kills and starts again. */
export class Instances {
  private constructor(
    private readonly start: () => Promise<ServiceProcess>,
    private readonly running: (ServiceProcess | undefined)[],
  ) {}

  /** Starts two on one database. */
  static async startTwo(variables: Record<string, string>): Promise<Instances> {
    const start = () => startProcess(variables);
    return new Instances(start, await Promise.all([start(), start()]));
  }

  /** Addresses of the instances that run now. */
  readonly urls = (): string[] =>
    this.running.flatMap((one) => (one === undefined ? [] : [one.url]));

  /** Ends an instance at once, as a power cut does; requests go to the other one. */
  async kill(index: number): Promise<void> {
    const victim = this.running[index];
    this.running[index] = undefined;
    if (victim !== undefined) await kill(victim);
  }

  /** Starts a killed instance again. */
  async restart(index: number): Promise<void> {
    this.running[index] = await this.start();
  }

  async replace(index: number): Promise<void> {
    await this.kill(index);
    await this.restart(index);
  }
}
