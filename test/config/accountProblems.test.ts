// What AWS would refuse in sluice.yaml is refused with line and column, all of it in one answer.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatProblem, validateConfig } from '../../lib/config/read.ts';
import { regions } from '../../lib/config/regions.ts';

const cluster = `clusters:
  - name: prod
    endpoint: https://api.example.com
    auth: {kind: eks, clusterName: prod}
`;
const problemsOf = (text: string) => {
  const read = validateConfig(text);
  return read.kind === 'Valid' ? [] : read.problems.map((one) => formatProblem('f', one));
};

describe('a value that AWS refuses', () => {
  it.each([
    [
      'tags: {"aws:team": a}',
      'f:5:8: tags.aws:team: tags that begin with aws: are reserved by AWS; choose another name',
    ],
    ['tags: {AWS:x: a}', 'f:5:8: tags.AWS:x: tags that begin with aws: are reserved by AWS; choose another name'],
    ['tags: {"a?": b}', 'f:5:8: tags.a?: the name of a tag may have letters, digits, spaces and _ . : / = + - @'],
    ['tags: {a: "b*"}', 'f:5:11: tags.a: the value of a tag may have letters, digits, spaces and _ . : / = + - @'],
    [
      'stack: {region: eu-wset-1}',
      'f:5:17: stack.region: "eu-wset-1" is no AWS region known to this release; did you mean "eu-west-1"? For a newer region, leave this out and set AWS_REGION',
    ],
    [
      'network: {vpc: vpc-1, subnets: [subnet-1, subnet-2, subnet-1], securityGroups: [sg-1, sg-1]}',
      'f:5:53: network.subnets[2]: "subnet-1" is there twice; remove one of them',
    ],
    [
      'alarms: {topics: ["arn:aws:sns:eu-west-1:123456789012:t", "arn:aws:sns:eu-west-1:123456789012:t"]}',
      'f:5:59: alarms.topics[1]: "arn:aws:sns:eu-west-1:123456789012:t" is there twice; remove one of them',
    ],
  ])('sluice.yaml may not have %s', (text, problem) => {
    expect(problemsOf(cluster + text)).toContain(problem);
  });

  it('sluice.yaml may have at most 50 tags', () => {
    const tags = (count: number) => `tags: {${Array.from({ length: count }, (_, i) => `t${i}: x`).join(', ')}}`;
    expect(problemsOf(cluster + tags(50))).toEqual([]);
    expect(problemsOf(cluster + tags(51))).toEqual(['f:5:7: tags: it has 51 tags, and AWS allows 50']);
  });

  it('the known regions are those of the AWS SDK', () => {
    const file = 'node_modules/@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partitions.js';
    const found = readFileSync(file, 'utf8').match(/(?<=")[a-z]{2,4}(-[a-z]+)+-\d(?=")/g) ?? [];
    expect([...regions]).toEqual([...new Set(found)].sort());
  });
});

describe('all problems', () => {
  it('contradictions are told together with invalid values, and each problem once', () => {
    const text = `logLevel: loud
stack: {region: eu-west-1, acount: "1"}
clusters:
  - name: prod
    endpoint: http://api.example.com
    auth: {kind: eks, clusterName: prod}
    executorRoleArn: arn:aws:iam::123456789012:role/x
  - nmae: edge
    endpoint: https://b
    auth: {kind: outbound}
    accessEntry: true
  - {name: prod, endpoint: "https://c", auth: {kind: outbound}, nativ: own}
network: {vpc: vpc-1, subnets: [subnet-1, subnet-1]}
alarms: {topics: ["arn:aws:sns:us-east-1:123456789012:t"], thresholds: {no-such: {}}}
removal: {policy: destroy, deletionProtection: true}
`;
    expect(problemsOf(text).map((one) => one.replace(/^(f:\d+):\d+: ([^:]+): .*$/, '$1 $2'))).toEqual([
      'f:1 logLevel',
      'f:2 stack.acount',
      'f:5 clusters[0].endpoint',
      'f:7 clusters[0].executorRoleArn',
      'f:8 clusters[1].name',
      'f:8 clusters[1].nmae',
      'f:11 clusters[1].accessEntry',
      'f:12 clusters[2].name',
      'f:12 clusters[2].nativ',
      'f:13 network.subnets[1]',
      'f:14 alarms.topics[0]',
      'f:14 alarms.thresholds.no-such',
      'f:15 removal.deletionProtection',
    ]);
  });

  it('an invalid value is no missing value', () => {
    const text = 'clusters:\n  - {name: edge, endpoint: 5, auth: {kind: outbound}}\n';
    expect(problemsOf(text)).toEqual(['f:2:28: clusters[0].endpoint: 5 must be text: put it in quotes']);
  });
});
