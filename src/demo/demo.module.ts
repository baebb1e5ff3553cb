import { Module } from '@nestjs/common';
import { AuthenticationModule } from '../authentication/authentication.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { DemoData } from './demo-data.js';

/** The demo organization. */
@Module({
  imports: [OrganizationsModule, AuthenticationModule],
  providers: [DemoData],
  exports: [DemoData],
})
export class DemoModule {}
