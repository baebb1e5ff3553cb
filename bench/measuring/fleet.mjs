import { startService } from './subject.mjs';

/** Instances of the service on one database, as one thing that is measured. */
export class Fleet {
  name = 'service';

  constructor(services) {
    this.services = services;
  }

  static async start(database, logFolder, count, variables) {
    const services = [];
    for (let index = 0; index < count; index++) {
      services.push(await startService(database, logFolder, { variables }));
    }
    return new Fleet(services);
  }

  get first() {
    return this.services[0];
  }

  get urls() {
    return this.services.map(({ url }) => url);
  }

  get database() {
    return this.first.database;
  }

  /** Processor time so far in microseconds: of all instances, and of their database. */
  processorTimes() {
    const times = this.services.map((service) => service.processorTimes());
    return { own: sum(times.map(({ own }) => own)), database: times[0].database };
  }

  /** Resident memory in MB of all instances: now, and the highest since the start. */
  memory() {
    const memories = this.services.map((service) => service.memory());
    return {
      now: sum(memories.map(({ now }) => now)),
      highest: sum(memories.map(({ highest }) => highest)),
    };
  }

  lastErrors() {
    return this.services.flatMap((service) => service.lastErrors());
  }

  async stop() {
    for (const service of this.services) await service.stop();
  }
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
