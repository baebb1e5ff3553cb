import type { OpenAPIObject } from '@nestjs/swagger';

interface Scheme {
  readonly in?: string;
}

interface Schema {
  anyOf?: readonly object[];
}

/**
 * Returns the document for generators of clients, without what makes their code fail or unsafe: webhooks, whose types
 * get no valid names; the key in the query, which they would send in every callback's URL; and conditions such as "one
 * of two ids is required", for which they create a class without fields.
 */
export function clientDocument(reference: OpenAPIObject): OpenAPIObject {
  const { webhooks: _webhooks, ...document } = structuredClone(reference);
  const { schemas = {}, securitySchemes = {} } = document.components ?? {};
  const schemes = Object.entries(securitySchemes as Readonly<Record<string, Scheme>>);
  const inQuery = schemes.flatMap(([name, scheme]) => (scheme.in === 'query' ? name : []));
  for (const name of inQuery) delete securitySchemes[name];
  for (const { post } of Object.values(document.paths)) {
    if (post?.security === undefined) continue;
    post.security = post.security.filter((scheme) => !inQuery.some((name) => name in scheme));
  }
  for (const schema of Object.values(schemas as Readonly<Record<string, Schema>>)) {
    const isCondition = schema.anyOf?.every((part) => Object.keys(part).join() === 'required');
    if (isCondition) delete schema.anyOf;
  }
  return document;
}
