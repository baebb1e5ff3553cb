import { Global, Module } from '@nestjs/common';
import { TenantCache } from './tenant-cache.js';

@Global()
@Module({ providers: [TenantCache], exports: [TenantCache] })
export class CacheModule {}
