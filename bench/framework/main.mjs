// NestJS on Fastify with nothing else: one route that answers an object.
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

class HealthController {
  async check() {
    return { description: 'Framework', ok: true, version: 'v1.0' };
  }
}
const { prototype } = HealthController;
Controller('external/apis/v1.0/healthz')(HealthController);
Get()(prototype, 'check', Object.getOwnPropertyDescriptor(prototype, 'check'));

function AppModule() {}
Module({ controllers: [HealthController] })(AppModule);

const app = await NestFactory.create(AppModule, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
process.stdout.write(`Listening on ${await app.getUrl()}\n`);
