/** Stored values as responses show them. */
export const text = (value) => (typeof value === 'string' ? value : '');
export const textOrNull = (value) => text(value) || null;
export const number = (value) => Number(value ?? 0);
export const flag = (value) => value === true;
export const list = (value) => value ?? [];
export const hex = (value) => value?.toHexString() ?? '';
export const hexOrNull = (value) => value?.toHexString() ?? null;
export const ids = (value) => (value ?? []).map(hex);
const time = (value) => value?.toISOString() ?? '';
export const timeOrNull = (value) => value?.toISOString() ?? null;
export const localized = (value, language) => value?.[language] || value?.['en-us'] || '';

/** What every document of the catalogue shows. */
export function common(document) {
  return {
    _id: document._id.toHexString(),
    isDeleted: flag(document.isDeleted),
    createdAt: time(document.createdAt),
    updatedAt: time(document.updatedAt),
    __v: number(document.__v),
  };
}

export function pictures(value) {
  return (value ?? []).map(({ image, type }) => ({ image: text(image), type: text(type) }));
}

export function brochure(value) {
  return {
    dateUploaded: time(value?.dateUploaded),
    name: text(value?.name),
    url: text(value?.url),
  };
}

/** Who reviewed and approved something, and when. */
export function review(value) {
  return {
    approveStatus: text(value.approveStatus),
    approvedById: hexOrNull(value.approvedById),
    approvedDate: timeOrNull(value.approvedDate),
    reviewStatus: text(value.reviewStatus),
    reviewedById: hexOrNull(value.reviewedById),
    reviewedDate: timeOrNull(value.reviewedDate),
  };
}
