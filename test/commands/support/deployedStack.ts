// The part of CloudFormation that `sluice config import` calls: GetTemplate of a deployed installation.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { install } from '../../infra/support/installation.ts';

export interface DeployedStack {
  /** For AWS_ENDPOINT_URL_CLOUDFORMATION. */
  readonly endpoint: string;
  stop(): Promise<void>;
}

export async function startDeployedStack(): Promise<DeployedStack> {
  const template = JSON.stringify(install().template).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const asked = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
    const isKnown = asked.get('Action') === 'GetTemplate' && asked.get('StackName') === 'Sluice';
    response.writeHead(isKnown ? 200 : 400, { 'content-type': 'text/xml' });
    response.end(
      isKnown
        ? `<GetTemplateResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><GetTemplateResult><TemplateBody>${template}</TemplateBody></GetTemplateResult></GetTemplateResponse>`
        : `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>${asked.get('Action')} of ${asked.get('StackName')} is not answered here</Message></Error></ErrorResponse>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
