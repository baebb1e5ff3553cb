// A collection for Bruno, made from the document of the API.
import lang from '@usebruno/lang';
import { collectionOf } from './collection-requests.mjs';

const { envJsonToBruV2, jsonToBruV2, jsonToCollectionBru } = lang;
const folder = 'clients/bruno';

/**
 * The files of the collection.
 *
 * @param document the OpenAPI document
 * @returns their texts by path
 */
export function brunoCollectionFiles(document) {
  const { requests, variables } = collectionOf(document);
  const collection = { version: '1', name: document.info.title, type: 'collection' };
  return {
    [`${folder}/bruno.json`]: `${JSON.stringify(collection, null, 2)}\n`,
    [`${folder}/collection.bru`]: collectionText(document),
    [`${folder}/environments/local.bru`]: environmentText(variables),
    ...Object.fromEntries(
      requests.map(({ path, request }) => [`${folder}/${path}`, jsonToBruV2(request)]),
    ),
  };
}

function collectionText({ info }) {
  return jsonToCollectionBru({
    meta: { name: info.title },
    auth: {
      mode: 'apikey',
      apikey: { key: 'api-key', value: '{{apiKey}}', placement: 'header' },
    },
    docs: 'Choose the environment `local`, and set `baseUrl` and the secret `apiKey` in it.',
  });
}

function environmentText(variables) {
  return envJsonToBruV2({
    variables: [
      { name: 'baseUrl', value: 'http://localhost:3000', enabled: true, secret: false },
      ...[...variables].map(([name, value]) => ({ name, value, enabled: true, secret: false })),
      { name: 'apiKey', value: '', enabled: true, secret: true },
    ],
  });
}
