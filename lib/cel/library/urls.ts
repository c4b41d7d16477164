// The Kubernetes URL library.
import { ofArgument } from '../costs.ts';
import { costing, type FunctionDeclaration, fn, global, type Implementation, member } from '../declare.ts';
import { StringMap } from '../map.ts';
import { bool, listOf, mapOf, string, type Type, url } from '../types.ts';
import { escapedPath, hostName, isUrl, parseUrl, queryOf, splitPort, Url, type UrlParts } from '../url.ts';
import { CelError, CelList, type Value } from '../values.ts';

const overload = new CelError('no such overload');
const unparsable = new CelError('URL parse error during conversion from string');

function ofText(run: (text: string) => Value): Implementation {
  return (_, value) => (typeof value === 'string' ? run(value) : overload);
}

function getter(name: string, type: Type, part: (parts: UrlParts) => Value): FunctionDeclaration {
  return fn(
    name,
    member(`url_${name}`, [url, type], (_, value) => (value instanceof Url ? part(value.parts) : overload)),
  );
}

function queryMap(query: string): Value {
  return new StringMap(new Map(Array.from(queryOf(query), ([key, values]) => [key, new CelList(values)])));
}

export const urls: readonly FunctionDeclaration[] = [
  costing(
    ofArgument(0),
    fn(
      'url',
      global(
        'string_to_url',
        [string, url],
        ofText((text) => parseUrl(text) ?? unparsable),
      ),
    ),
  ),
  fn('isURL', global('is_url_string', [string, bool], ofText(isUrl))),
  getter('getScheme', string, (parts) => parts.scheme),
  getter('getHost', string, (parts) => parts.host),
  getter('getHostname', string, (parts) => hostName(parts.host)),
  getter('getPort', string, (parts) => splitPort(parts.host).port),
  getter('getEscapedPath', string, (parts) => escapedPath(parts.path)),
  getter('getQuery', mapOf(string, listOf(string)), (parts) => queryMap(parts.query)),
];
