// Reads a request body: JSON, or YAML by content type.
import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { parse } from 'yaml';
import { ApiStatus, badRequest } from './apiStatus.ts';
import type { Verb } from './request.ts';

/** Bytes; the API server's limit for request bodies. */
const maxBody = 3 * 1024 * 1024;

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maxBody) {
      const message = `Request entity too large: limit is ${maxBody}`;
      throw new ApiStatus({ code: 413, reason: 'RequestEntityTooLarge', message });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The media type without parameters, in lower case. */
export function mediaType(header: string | undefined): string {
  return header?.split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Undefined for an empty body. */
export function parseBody(text: string, contentType: string, verb: Verb): unknown {
  if (text.trim() === '') return undefined;
  const isYaml = contentType.endsWith('yaml');
  if (!isYaml && !contentType.endsWith('json') && contentType !== '' && verb !== 'patch') {
    const message =
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml';
    throw new ApiStatus({ code: 415, reason: 'UnsupportedMediaType', message });
  }
  try {
    return isYaml ? parse(text) : JSON.parse(text);
  } catch {
    throw badRequest(verb === 'patch' ? 'invalid JSON patch' : "couldn't get version/kind; json parse error");
  }
}
