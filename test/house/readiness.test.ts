// The questionnaires of production readiness: no heading is missing, and every answer points to a metric, an alarm or a test.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runbookEntries } from '../../lib/config/runbookEntries.ts';
import { metrics } from '../../lib/metrics.ts';
import { anchorsOf, readText, root, trackedFiles } from './sources.ts';

/** Of the questionnaires in KEP-5055, its rate-limited variant, and KEP-5194. */
const sections = [
  'Feature Enablement and Rollback',
  'Rollout, Upgrade and Rollback Planning',
  'Monitoring Requirements',
  'Dependencies',
  'Scalability',
  'Troubleshooting',
];
const questions = [
  'How can this feature be enabled / disabled in a live cluster?',
  'Does enabling the feature change any default behavior?',
  'Can the feature be disabled once it has been enabled (i.e. can we roll back the enablement)?',
  'What happens if we reenable the feature if it was previously rolled back?',
  'Are there any tests for feature enablement/disablement?',
  'How can a rollout or rollback fail? Can it impact already running workloads?',
  'What specific metrics should inform a rollback?',
  'Were upgrade and rollback tested? Was the upgrade->downgrade->upgrade path tested?',
  'Is the rollout accompanied by any deprecations and/or removals of features, APIs, fields of API types, flags, etc.?',
  'How can an operator determine if the feature is in use by workloads?',
  'How can someone using this feature know that it is working for their instance?',
  'What are the reasonable SLOs (Service Level Objectives) for the enhancement?',
  'What are the SLIs (Service Level Indicators) an operator can use to determine the health of the service?',
  'Are there any missing metrics that would be useful to have to improve observability of this feature?',
  'Does this feature depend on any specific services running in the cluster?',
  'Will enabling / using this feature result in any new API calls?',
  'Will enabling / using this feature result in introducing new API types?',
  'Will enabling / using this feature result in any new calls to the cloud provider?',
  'Will enabling / using this feature result in increasing size or count of the existing API objects?',
  'Will enabling / using this feature result in increasing time taken by any operations covered by existing SLIs/SLOs?',
  'Will enabling / using this feature result in non-negligible increase of resource usage (CPU, RAM, disk, IO, ...) in any components?',
  'Can enabling / using this feature result in resource exhaustion of some node resources (PIDs, sockets, inodes, etc.)?',
  'How does this feature react if the API server and/or etcd is unavailable?',
  'What are other known failure modes?',
  'What steps should be taken if SLOs are not being met to determine the problem?',
];

const page = readText('docs/reference/production-readiness.md');
const answers = new Map(
  page
    .split(/^###### /m)
    .slice(1)
    .map((part) => {
      const [question = '', ...rest] = part.split('\n');
      return [
        question,
        rest
          .join('\n')
          .replace(/^### .*$/gm, '')
          .trim(),
      ];
    }),
);
const metricNames = Object.keys(metrics);
const codes = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

describe('docs/reference/production-readiness.md', () => {
  it('the page about production readiness has the sections of the questionnaires in their order', () => {
    expect([...page.matchAll(/^### (.*)$/gm)].map(([, section]) => section)).toEqual(sections);
  });

  it('the page about production readiness has the questions of the questionnaires in their order', () => {
    expect([...answers.keys()]).toEqual(questions);
  });

  it.each(questions)('%s: the answer points to a metric, an alarm or a test', (question) => {
    const answer = answers.get(question) ?? '';
    const names = codes(answer).filter(
      (code) => metricNames.includes(code) || runbookEntries.some((one) => one === code),
    );
    const tests = [...answer.matchAll(/\]\(\.\.\/\.\.\/test\/[^)]+\)/g)];
    expect(names.length + tests.length).toBeGreaterThan(0);
  });

  it('every failure mode has detection, mitigation, diagnostics and a test', () => {
    const failures = answers.get('What are other known failure modes?') ?? '';
    const [head, , ...rows] = failures.split('\n').filter((line) => line.startsWith('|'));
    const cellsOf = (row = '') =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
    expect(cellsOf(head)).toEqual(['what fails', 'detection', 'mitigation', 'diagnostics', 'test']);
    expect(rows.length).toBeGreaterThan(8);
    for (const row of rows) {
      const [what, detection = '', mitigation, diagnostics, test = ''] = cellsOf(row);
      expect({ what, mitigation, diagnostics }).not.toContain('');
      const detects = [...runbookEntries, ...metricNames, 'sluice doctor'] as string[];
      expect(
        codes(detection).filter((code) => detects.includes(code)),
        what,
      ).not.toEqual([]);
      expect(test, what).toMatch(/\]\(\.\.\/\.\.\/test\/[^)]+\.test\.ts\)/);
    }
  });

  it('the page about production readiness quotes log lines that are written', () => {
    const written = trackedFiles()
      .filter((file) => file.startsWith('lib/') && file.endsWith('.ts'))
      .flatMap((file) =>
        [...readText(file).matchAll(/log\.(?:info|warn|error)\(\s*'([^']+)'/g)].map(([, line]) => line),
      );
    const quoted = codes(page).filter((code) => /^[a-z]+( [a-z]+){2,}$/.test(code) && !/^npm |^cdk /.test(code));
    expect(quoted.length).toBeGreaterThan(5);
    expect(quoted.filter((line) => !written.includes(line))).toEqual([]);
  });

  it('the page about production readiness links only to tests, pages and headings that exist', () => {
    const links = [...page.matchAll(/\]\(([^()\s#]+)(?:#([^()\s]+))?\)/g)];
    expect(links.length).toBeGreaterThan(30);
    for (const [, target = '', anchor] of links) {
      const file = path.join(root, 'docs', 'reference', target);
      expect(existsSync(file), target).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(readFileSync(file, 'utf8')), target).toContain(anchor);
    }
  });

  it('the page about production readiness names only metrics and alarms that exist', () => {
    const known = [...metricNames, ...runbookEntries] as string[];
    const metricLike = codes(page).filter((code) => /^([A-Z][a-z]+){2,}$|^[a-z]+(-[a-z]+)+$/.test(code));
    const others = ['EvictionInProgress', 'NoExecute'];
    expect(metricLike.filter((code) => !known.includes(code) && !others.includes(code))).toEqual([]);
  });

  it('the page about production readiness names every alarm', () => {
    expect(runbookEntries.filter((entry) => !codes(page).includes(entry))).toEqual([]);
  });
});
