// Generated pages match the verb definitions, and shell completion offers the right words.
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { program } from '../../lib/commands/definitions/index.ts';
import { completionScript, shells } from '../../lib/commands/pages/completion.ts';
import { placesOf } from '../../lib/commands/pages/completionPlaces.ts';
import { generatedPages } from '../../lib/commands/pages/generated.ts';
import { readText, root } from '../house/sources.ts';
import { gpuRule, startScene } from './support/scene.ts';

describe('generated pages', () => {
  it.each([...generatedPages()])('%s is what npm run generate:commands writes', (file, text) => {
    expect(readText(file)).toBe(text);
  });

  it('docs/man contains exactly the generated pages, and npm installs them', () => {
    const files = readdirSync(path.join(root, 'docs', 'man')).map((file) => `docs/man/${file}`);
    expect(JSON.parse(readText('package.json'))).toMatchObject({ man: files.toSorted() });
    expect(files.sort()).toEqual([...generatedPages().keys()].filter((file) => file.startsWith('docs/man/')).sort());
  });
});

/** The words that bash completion offers after `words`. */
function offered(words: readonly string[]): readonly string[] {
  return execFileSync('bash', ['-c', askedOf(['sluice', ...words])], { encoding: 'utf8' })
    .trim()
    .split('\n');
}

function askedOf(words: readonly string[]): string {
  const typed = words.map((word) => `'${word}'`).join(' ');
  return `${completionScript('bash', program)}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`;
}

describe('completion', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['verbs by their beginning', ['pau'], ['pause', 'pauses']],
    ['kinds of get', ['get', 'p'], ['policies', 'pods']],
    ['options of a verb', ['get', 'rules', '--out'], ['--output']],
    ['options after an argument', ['why', 'pod', 'some-name', '--lim'], ['--limit']],
    ['fixed choices', ['completion', 'z'], ['zsh']],
    ['formats after -o', ['get', 'rules', '-o', ''], ['table', 'wide', 'json', 'yaml', 'name', 'jsonpath=']],
    ['the choices of an option', ['plan', 'r', '--by', 'n'], ['namespace']],
    ['no words after --kubeconfig, so that the shell offers files', ['get', 'rules', '--kubeconfig', 'k'], ['']],
    ['options after the value of another one', ['get', 'pods', '-n', 'team-a', '--wat'], ['--watch']],
    ['fixed choices after options', ['why', '--limit', '3', 'dev'], ['device']],
    ['no kinds after a kind', ['get', 'rule', 'pod'], ['']],
    ['nothing for an unknown kind', ['get', 'nothing-like-it'], ['']],
  ])('bash completion offers %s', (_, words, expected) => {
    expect(offered(words)).toEqual(expected);
  });

  it.each<[readonly string[], readonly string[]]>([
    [
      ['get', 'rule', ''],
      ['another-rule', 'unhealthy-gpus'],
    ],
    [['get', 'rules', 'un'], ['unhealthy-gpus']],
    [['why', 'rule', 'a'], ['another-rule']],
    [
      ['get', 'pod', '-n', 'team-a', ''],
      ['pod-00000', 'pod-00003', 'pod-00006'],
    ],
    [['drain', 'device', 'gpu.example.com/node-000/device-1'], ['gpu.example.com/node-000/device-1']],
    [
      ['pause', 'namespace', ''],
      ['team-a', 'team-b', 'team-c'],
    ],
    [
      ['get', 'pods', '-n', ''],
      ['team-a', 'team-b', 'team-c'],
    ],
    [['drain', 'node', ''], ['node-000']],
    [['get', 'rules', '--context', 'o'], ['other']],
  ])('bash completion offers the names of objects in the cluster: sluice %s', async (words, expected) => {
    const scene = await startScene();
    try {
      scene.cluster.seed(gpuRule);
      scene.cluster.seed({ ...gpuRule, metadata: { name: 'another-rule' } });
      // The names are asked of the program, in a process of its own.
      const started = scene.file('sluice', `#!/bin/sh\nexec '${process.execPath}' '${root}/bin/sluice.ts' "$@"\n`);
      chmodSync(started, 0o755);
      // Of kubectl, as many answers as the script asks for.
      const kubectl = scene.file(
        'kubectl',
        '#!/bin/sh\ncase "$1" in get) echo node/node-000 ;; *) echo other ;; esac\n',
      );
      chmodSync(kubectl, 0o755);
      const asked = await promisify(execFile)('bash', ['-c', askedOf([started, ...words])], {
        env: {
          ...process.env,
          KUBECONFIG: scene.kubeconfig,
          HOME: scene.folder,
          PATH: `${scene.folder}:${process.env.PATH}`,
        },
      });
      expect(asked.stdout.trim().split('\n')).toEqual(expected);
    } finally {
      await scene.stop();
    }
  });

  it('bash completion asks the named installation for its clusters', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'sluice-completion-'));
    try {
      const started = path.join(folder, 'sluice');
      writeFileSync(started, '#!/bin/sh\necho "$*" > "$0.asked"\necho cluster/prod\n');
      chmodSync(started, 0o755);
      const words = [started, 'top', '--context', 'x', '--stack', 'S', '--region', 'eu-west-1', '--cluster', 'p'];
      expect(execFileSync('bash', ['-c', askedOf(words)], { encoding: 'utf8' })).toBe('prod\n');
      expect(readFileSync(`${started}.asked`, 'utf8')).toBe('get clusters --stack S --region eu-west-1 -o name\n');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('bash completion neither executes nor offers an object name with shell syntax', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'sluice-completion-'));
    try {
      const started = path.join(folder, 'sluice');
      const names = ['rule/good.name', `rule/$(touch ${folder}/ran)`, 'rule/`touch ran`', 'rule/$HOME'];
      writeFileSync(started, `#!/bin/sh\ncat <<'END'\n${names.join('\n')}\nEND\n`);
      chmodSync(started, 0o755);
      const said = execFileSync('bash', ['-c', askedOf([started, 'get', 'rule', ''])], { cwd: folder });
      expect(said.toString().trim()).toBe('good.name');
      expect(readdirSync(folder)).toEqual(['sluice']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('zsh completion assigns no special variable of zsh and has no expansion that zsh reads as a modifier', () => {
    const script = completionScript('zsh', program);
    expect(script).not.toMatch(/\b(path|words|status)=|:COMP_/);
  });

  it.each(shells)('%s completion names every verb and every option', (shell) => {
    const script = completionScript(shell, program);
    const missing = placesOf(program).flatMap(({ words, flags }) =>
      [...words, ...flags].filter((one) => !script.includes(shell === 'fish' ? one.replace(/^--/, '') : one)),
    );
    expect(missing).toEqual([]);
  });
});
