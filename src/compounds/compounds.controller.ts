import { Controller, Get, Header, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller } from '../authentication/caller.js';
import { Clock } from '../configuration/clock.js';
import { type Answer, AnswerStreams } from '../http/lists/answer-streams.js';
import {
  DocumentedAnswer,
  DocumentedErrors,
  DocumentedHeaders,
  DocumentedPolling,
  pollingHeaders,
} from '../http/reference/api-documentation.js';
import { pageOf, type PageOf } from '../http/lists/pages.js';
import { WithRouteOptions } from '../http/server/route-options.js';
import { noteUpdatedAsOf } from '../http/lists/updated-as-of.js';
import { CompoundListsService } from './compound-lists.service.js';
import type { PresentedCompound } from './compound.presenter.js';
import { CompoundsAnswerDto } from './dto/compound.dto.js';
import { compoundErrors } from '../catalogue/catalogue-errors.js';
import { listRefusals } from './dto/documented-errors.js';
import { ListCompoundsQuery } from './dto/list-compounds.query.js';

/** `/compounds` (section 4.4). */
@ApiTags('Compounds')
@ApiSecurity('api-key')
@DocumentedHeaders()
@Controller('compounds')
export class CompoundsController {
  constructor(
    private readonly compounds: CompoundListsService,
    private readonly answers: AnswerStreams,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Header('content-type', 'application/json; charset=utf-8')
  @WithRouteOptions({ hasGenericUnauthorized: true })
  @ApiOperation({
    summary: 'List the compounds',
    description: 'Newest first. Poll with If-None-Match, or with updatedSince.',
  })
  @DocumentedAnswer(200, CompoundsAnswerDto, 'The compounds.', pollingHeaders)
  @DocumentedPolling()
  @DocumentedErrors(...listRefusals, ...compoundErrors)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: ListCompoundsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PageOf<PresentedCompound> | Answer> {
    noteUpdatedAsOf(reply, this.clock.now());
    const search = {
      ...(query.updatedSince === undefined ? {} : { updatedSince: query.updatedSince }),
      includesDeleted: query.includeDeleted === '1',
    };
    if (query.all !== '1') return this.compounds.page(caller, search, pageOf(query));
    return this.answers.streamed(reply, this.compounds.all(caller, search));
  }
}
