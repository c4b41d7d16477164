// Errors in sluice.yaml: they have line and column, and a suggestion for a misspelled name.
import { describe, expect, it } from 'vitest';
import { ConfigError, formatProblem, readConfig, validateConfig } from '../../lib/config/read.ts';

const cluster = `clusters:
  - name: prod
    endpoint: https://api.example.com
    auth: {kind: eks, clusterName: prod}
`;
const problemsOf = (text: string) => {
  const read = validateConfig(text);
  return read.kind === 'Valid' ? [] : read.problems.map((one) => formatProblem('sluice.yaml', one));
};
/** Appended to the cluster, so that the first line of `text` is the fifth line. */
const below = (text: string) => problemsOf(cluster + text);

describe('sluice.yaml', () => {
  it('sluice.yaml is read without filling in defaults', () => {
    expect(readConfig(cluster, 'sluice.yaml')).toEqual({
      clusters: [{ name: 'prod', endpoint: 'https://api.example.com', auth: { kind: 'eks', clusterName: 'prod' } }],
    });
  });

  it('the word off is read as a string, as in YAML 1.2', () => {
    const { clusters } = readConfig(`${cluster}    native: off\n`, 'sluice.yaml');
    expect(clusters[0]?.native).toBe('off');
  });

  it.each([
    ['an unknown key', 'setings: {}', '5:1: setings: there is no such key; did you mean "settings"?'],
    [
      'an unknown key that is similar to no other',
      'stack: {zzzzzzzz: 1}',
      '5:9: stack.zzzzzzzz: there is no such key; known: name, account, region, credentials',
    ],
    [
      'an unknown key deep inside',
      'alarms:\n  thresholds:\n    messages-wait:\n      minuts: 3',
      '8:7: alarms.thresholds.messages-wait.minuts: there is no such key; did you mean "minutes"?',
    ],
    ['a key with wrong capitals', 'loglevel: INFO', '5:1: loglevel: there is no such key; did you mean "logLevel"?'],
    [
      'a part of the name of a key',
      '    authority: x',
      '5:5: clusters[0].authority: there is no such key; did you mean "certificateAuthority"?',
    ],
    ['a key that belongs elsewhere', 'vpc: vpc-1', '5:1: vpc: there is no such key; did you mean "network.vpc"?'],
    [
      'a key that belongs to each cluster',
      'maxEvictionsPerSecond: 3',
      '5:1: maxEvictionsPerSecond: there is no such key; did you mean "clusters[].maxEvictionsPerSecond"?',
    ],
    [
      'a key that belongs to several places',
      'memoryMiB: 512',
      expect.stringMatching(/^5:1: memoryMiB: there is no such key; known: stack, clusters, /),
    ],
    ['a text for a list', 'alarms: {topics: arn:aws:sns}', '5:18: alarms.topics: "arn:aws:sns" must be a list'],
    [
      'a text for a switch',
      'settings:\n  nonPodConsumers: "yes"',
      '6:20: settings.nonPodConsumers: "yes" must be true or false',
    ],
    [
      'a text for a number',
      'limits:\n  evict:\n    timeout: soon',
      '7:14: limits.evict.timeout: "soon" must be a whole number from 1 to 900',
    ],
    [
      'a number for a text',
      'stack: {account: 123456789012}',
      '5:18: stack.account: 123456789012 must be text: put it in quotes',
    ],
    [
      'a number for a text that begins with 0, and the problem shows it as it is written',
      'stack: {account: 012345678901}',
      '5:18: stack.account: 012345678901 must be text: put it in quotes',
    ],
    [
      'an octal number for a text, and the problem shows it as it is written',
      'stack: {account: 0o112402762000}',
      '5:18: stack.account: 0o112402762000 must be text: put it in quotes',
    ],
    [
      'a fraction for a whole number',
      'retention: {records: 1.5}',
      '5:22: retention.records: 1.5 must be a whole number from 1 to 3650',
    ],
    ['a list for a mapping', 'network: []', '5:10: network: a list must be a mapping of keys to values'],
    ['a mapping for a list', 'alarms: {topics: {}}', '5:18: alarms.topics: a mapping must be a list'],
    ['nothing where a mapping belongs', 'network:', '5:9: network: an empty value must be a mapping of keys to values'],
    ['an empty list', 'network: {vpc: vpc-1, subnets: []}', '5:32: network.subnets: it must name at least one subnet'],
    [
      'a value with wrong capitals',
      'logLevel: Info',
      '5:11: logLevel: "Info" must be DEBUG, INFO, WARN or ERROR; did you mean "INFO"?',
    ],
    [
      'a threshold that never fires',
      'alarms: {thresholds: {sweep-silent: {threshold: 0}}}',
      '5:49: alarms.thresholds.sweep-silent.threshold: 0 must be more than 0',
    ],
    [
      'a retention that CloudWatch does not have',
      'retention: {logs: 13}',
      expect.stringMatching(/^5:19: retention\.logs: 13 must be one of 1, 3, 5, .+, forever$/),
    ],
    [
      'an invalid address',
      'alarms: {runbookUrl: wiki}',
      '5:22: alarms.runbookUrl: "wiki" must be an http or https address',
    ],
    [
      'a security group in the place of a subnet',
      'network: {vpc: vpc-1, subnets: [sg-1]}',
      '5:33: network.subnets[0]: "sg-1" must be the id of a subnet, subnet-…',
    ],
    [
      'a number beyond all numbers',
      'retention: {records: 99999999999999999999999999}',
      '5:22: retention.records: 1e+26 must be a whole number from 1 to 3650',
    ],
    [
      'an infinite rate',
      '    maxEvictionsPerSecond: .inf',
      '5:28: clusters[0].maxEvictionsPerSecond: Infinity must be a finite number',
    ],
  ])('sluice.yaml may not have %s', (_, text, problem) => {
    expect(below(text).map((one) => one.replace('sluice.yaml:', ''))).toEqual([problem]);
  });

  it.each([
    ['a key twice', 'logLevel: INFO\nlogLevel: WARN', '6:1: the key logLevel is in line 5 already'],
    ['a key twice in braces', 'tags: {a: b, a: c}', '5:14: the key a is in line 5 already'],
    ['a key without a colon', 'logLevel', '5:1: a key must be followed by a colon'],
    ['an alias', 'tags: &t {a: b}\nstack: *t', '6:8: aliases are not supported: write the value out'],
    ['a tag of its own', 'tags: !env {a: b}', expect.stringContaining('5:7: Unresolved tag: !env')],
    ['a key that is not text', 'tags: {1: b}', '5:8: a key must be text'],
    ['a second document', '---\nclusters: []', expect.stringContaining('one file holds one configuration')],
    ['an unfinished list', 'alarms: {topics: [', expect.stringMatching(/^5:\d+: /)],
  ])('the YAML of sluice.yaml may not have %s', (_, text, problem) => {
    expect(below(text).map((one) => one.replace('sluice.yaml:', ''))).toContainEqual(problem);
  });

  it.each([
    ['an empty file', '', 'sluice.yaml:1:1: clusters: it is missing'],
    ['a text', 'prod', 'sluice.yaml:1:1: "prod" must be a mapping of keys to values'],
    ['no cluster', 'clusters: []', 'sluice.yaml:1:11: clusters: it must name at least one cluster'],
    ['a nesting of 100,000 levels', '['.repeat(100_000), 'sluice.yaml:1:1: it is nested more than 50 levels deep'],
    ['a list in lists', `${'- '.repeat(5000)}a`, 'sluice.yaml:1:1: it is nested more than 50 levels deep'],
    ['text in UTF-16', '\ufffd\ufffdc\u0000l\u0000', 'sluice.yaml:1:1: the file is not text in UTF-8'],
    ['more than a megabyte', `#${'x'.repeat(1_000_000)}`, 'sluice.yaml:1:1: the file is larger than 1 MB'],
  ])('the reader of sluice.yaml refuses %s', (_, text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  it.each([
    ['\ufeff\ufeff: 1', 'sluice.yaml:1:2: "\\u{feff}": there is no such key'],
    ['"a b": 1', 'sluice.yaml:1:1: "a b": there is no such key'],
    ['"": 1', 'sluice.yaml:1:1: "": there is no such key'],
    ['größe: 1', 'sluice.yaml:1:1: größe: there is no such key'],
  ])('an unknown key with characters that cannot be seen is shown in quotes: %j', (text, problem) => {
    expect(problemsOf(text).join('\n')).toContain(problem);
  });

  it('a key that belongs to another kind is not proposed again', () => {
    const text = 'clusters:\n  - name: prod\n    auth: {kind: outbound, clusterName: x}\n';
    expect(problemsOf(text)).toContainEqual(
      'sluice.yaml:3:28: clusters[0].auth.clusterName: "kind: outbound" has no such key; remove it',
    );
  });

  it('all problems of sluice.yaml are reported at once, in the order of the file', () => {
    const error = (() => {
      try {
        readConfig(`logLevel: loud\n${cluster}    nativ: own\n    paced: on\n`, 'conf.yaml');
      } catch (thrown) {
        return thrown;
      }
      return undefined;
    })();
    expect(error).toBeInstanceOf(ConfigError);
    expect(String((error as ConfigError).message).split('\n')).toEqual([
      'conf.yaml:1:11: logLevel: "loud" must be DEBUG, INFO, WARN or ERROR',
      'conf.yaml:6:5: clusters[0].nativ: there is no such key; did you mean "native"?',
      'conf.yaml:7:12: clusters[0].paced: "on" must be own, shadow or off; did you mean "own"?',
    ]);
  });
});

it.each(['https://[a', 'https://a:99999', 'https://a:port', 'https://user:secret@a', 'https://a b'])(
  'the endpoint %s is refused',
  (endpoint) => {
    expect(below(`  - {name: two, endpoint: "${endpoint}", auth: {kind: outbound}}`)).toEqual([
      expect.stringMatching(/^sluice\.yaml:5:27: clusters\[1\]\.endpoint: ".*" must be https:\/\/HOST\[:PORT\]$/),
    ]);
  },
);

describe('contradictions', () => {
  it.each([
    [
      'an executor where functions evict',
      '    executorRoleArn: arn:aws:iam::123456789012:role/x',
      '5:22: clusters[0].executorRoleArn: the executor is for auth.kind: outbound: set that, or leave executorRoleArn out',
    ],
    [
      'a name with other dashes',
      '  - {name: pr-od, endpoint: "https://a", auth: {kind: outbound}}\n  - {name: prod, endpoint: "https://b", auth: {kind: outbound}}',
      '6:12: clusters[2].name: "prod" is taken; a difference in dashes alone does not count',
    ],
    [
      'one API server twice',
      '  - {name: again, endpoint: "https://api.example.com/", auth: {kind: eks, clusterName: again}}',
      '5:29: clusters[1].endpoint: https://api.example.com is cluster prod already: name another one, or leave the cluster out',
    ],
    [
      'one API server twice, once with a dot at the end of its name',
      '  - {name: again, endpoint: "https://api.example.com.", auth: {kind: eks, clusterName: again}}',
      '5:29: clusters[1].endpoint: https://api.example.com is cluster prod already: name another one, or leave the cluster out',
    ],
    [
      'one IPv4 address twice, once as IPv6',
      '  - {name: a, endpoint: "https://10.0.0.1:6443", auth: {kind: eks, clusterName: a}}\n  - {name: b, endpoint: "https://[::ffff:10.0.0.1]:6443", auth: {kind: eks, clusterName: b}}',
      expect.stringContaining('clusters[2].endpoint: https://10.0.0.1:6443 is cluster a already'),
    ],
    [
      'one EKS cluster twice',
      '  - {name: a, auth: {kind: eks, clusterName: x}}\n  - {name: b, auth: {kind: eks, clusterName: x}}',
      '6:46: clusters[2].auth.clusterName: EKS cluster x is cluster a already: name another one, or leave the cluster out',
    ],
    [
      'a role for pods of another EKS cluster',
      '    workloadIdentity: {kind: podIdentity, clusterName: other}',
      '5:56: clusters[0].workloadIdentity.clusterName: it is "other", and auth.clusterName is "prod": name the same EKS cluster',
    ],
    [
      'names that are too long for a queue',
      `stack: {name: ${'S'.repeat(64)}}`,
      `2:11: clusters[0].name: "prod" and the stack name "${'S'.repeat(64)}" are too long for the name of a queue: shorten them by 1`,
    ],
    [
      'no endpoint outside EKS',
      '  - {name: edge, auth: {kind: outbound}}',
      '5:5: clusters[1]: endpoint is missing: only that of an EKS cluster (auth.kind: eks) can be looked up',
    ],
    [
      'an authority of an endpoint that is looked up',
      '  - {name: two, auth: {kind: eks, clusterName: two}, certificateAuthority: "-----BEGIN CERTIFICATE-----"}',
      expect.stringContaining('clusters[1].certificateAuthority: it is read from EKS together with the endpoint'),
    ],
    [
      'a protected table that would be destroyed',
      'removal: {policy: destroy, deletionProtection: true}',
      '5:48: removal.deletionProtection: a protected table cannot be destroyed: leave it out, or set removal.policy to retain',
    ],
    [
      'a topic of another region',
      'stack: {region: eu-west-1}\nalarms: {topics: ["arn:aws:sns:us-east-1:123456789012:t"]}',
      '6:19: alarms.topics[0]: "arn:aws:sns:us-east-1:123456789012:t" is in us-east-1, the stack in eu-west-1: name one in eu-west-1',
    ],
    [
      'a role of another account',
      '    watcherRoleArn: arn:aws:iam::999999999999:role/x\n  - {name: edge, endpoint: "https://b", auth: {kind: outbound}, executorRoleArn: "arn:aws:iam::999999999999:role/x"}\nstack: {account: "123456789012"}',
      expect.stringMatching(
        /^6:\d+: clusters\[1\]\.executorRoleArn: .+ is of account 999999999999, the stack of 123456789012/,
      ),
    ],
    [
      'a time-out that outlasts the visibility of its messages',
      'limits: {evict: {timeout: 60}, visibilityTimeout: 30}',
      '5:27: limits.evict.timeout: it is 60 s, and messages are delivered again after 30 s (limits.visibilityTimeout): AWS refuses that',
    ],
    [
      'a limit of a projection that is off',
      'settings: {projectRules: false, projection: {maxRules: 3}}',
      '5:45: settings.projection: it has no effect while settings.projectRules is false: leave one of them out',
    ],
  ])('sluice.yaml may not contradict itself: %s', (_, text, problem) => {
    expect(below(text).map((one) => one.replace('sluice.yaml:', ''))).toContainEqual(problem);
  });
});
