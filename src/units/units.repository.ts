import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, Types } from 'mongoose';
import { TenantCollection } from '../database/tenant-collection.js';
import type { UnitDocument } from './unit.schema.js';

const notDeleted = { isDeleted: false };

/** The queries on `units`. */
@Injectable()
export class UnitsRepository {
  private readonly units: TenantCollection<UnitDocument>;

  constructor(@InjectModel('Unit') model: Model<UnitDocument>) {
    this.units = new TenantCollection(model);
  }

  async findById(
    organizationId: Types.ObjectId,
    _id: Types.ObjectId,
  ): Promise<UnitDocument | null> {
    return this.units.findOne(organizationId, { _id, ...notDeleted });
  }

  /** The unit, also when it is deleted. */
  async findDeletedToo(
    organizationId: Types.ObjectId,
    _id: Types.ObjectId,
  ): Promise<UnitDocument | null> {
    return this.units.findOne(organizationId, { _id });
  }

  async findByRecordSystemId(
    organizationId: Types.ObjectId,
    recordSystemId: string,
  ): Promise<UnitDocument | null> {
    return this.units.findOne(organizationId, { recordSystemId, ...notDeleted });
  }

  /** Units with a unit id, which is unique within a compound only; two at most. */
  async findTwoByUnitId(organizationId: Types.ObjectId, unitId: string): Promise<UnitDocument[]> {
    return this.units.find(organizationId, { unitId, ...notDeleted }, { limit: 2 });
  }

  async findBySlug(organizationId: Types.ObjectId, slug: string): Promise<UnitDocument | null> {
    return this.units.findOne(organizationId, { slug, ...notDeleted });
  }

  /**
   * Sets fields and writes the unit even where they are as they were, so that every other
   * transaction that writes it conflicts.
   */
  async setFieldsLocking(
    { organizationId, _id }: UnitDocument,
    fields: Partial<UnitDocument>,
  ): Promise<void> {
    const revision = { $inc: { availabilityRevision: 1 } };
    const isEmpty = Object.keys(fields).length === 0;
    const update = isEmpty ? revision : { ...revision, $set: fields };
    await this.units.updateOne(organizationId, { _id }, update);
  }
}
