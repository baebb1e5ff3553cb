import { caseCandidates, foldCase, spellings } from '../leads/clients.mjs';

const ranges = { Price: 'price', Bua: 'bua', Beds: 'beds' };

/** The filter that a query of `GET /units` or of the export means. */
export async function unitFilter(db, organizationId, query) {
  const [compounds, types] = await Promise.all([
    query.compound && compoundIds(db, organizationId, query.compound.split(',')),
    query.propertyType && typeIds(db, organizationId, query.propertyType.split(',')),
  ]);
  return {
    organizationId,
    isDeleted: false,
    ...(query.status && { status: { $in: query.status.split(',') } }),
    ...(compounds && { compoundId: { $in: compounds } }),
    ...(types && { propertyTypeId: { $in: types } }),
    ...rangesOf(query),
  };
}

/** The order that `sort` asks for. */
export function unitOrder({ sort = '-createdAt' }) {
  const keys = sort
    .split(',')
    .map((item) => [item.replace(/^-/, ''), item.startsWith('-') ? -1 : 1]);
  return { ...Object.fromEntries(keys), _id: keys.at(-1)[1] };
}

function rangesOf(query) {
  const filter = {};
  for (const [name, field] of Object.entries(ranges)) {
    const [least, most] = [query[`min${name}`], query[`max${name}`]];
    if (least === undefined && most === undefined) continue;
    filter[field] = {
      ...(least === undefined ? {} : { $gte: Number(least) }),
      ...(most === undefined ? {} : { $lte: Number(most) }),
    };
  }
  return filter;
}

async function compoundIds(db, organizationId, slugs) {
  const filter = { organizationId, slug: { $in: slugs }, isDeleted: false };
  const found = await db
    .collection('compounds')
    .find(filter, { projection: { _id: 1 } })
    .toArray();
  return found.map(({ _id }) => _id);
}

async function typeIds(db, organizationId, names) {
  const inAny = { $in: names.flatMap(spellings) };
  const $or = [{ 'name.en-us': inAny }, { 'name.ar-eg': inAny }, { slug: inAny }];
  const found = await db
    .collection('propertyTypes')
    .find(
      { organizationId, isDeleted: false, $or },
      { projection: { name: 1, slug: 1 }, collation: caseCandidates },
    )
    .toArray();
  const keys = new Set(names.map(foldCase));
  const isNamed = ({ name, slug }) =>
    [slug, name?.['en-us'], name?.['ar-eg']].some((value) => keys.has(foldCase(value ?? '')));
  return found.filter(isNamed).map(({ _id }) => _id);
}
