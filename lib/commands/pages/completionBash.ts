// Completion script for bash, which zsh runs through bashcompinit; pure.
import type { Place, ValueOption } from './completionPlaces.ts';

// compgen -W expands its word list, so only names with characters of Kubernetes names reach it. Avoid the names `path` and `words`,
// which are special variables in zsh. `\x24` is a dollar sign that the template literal does not interpret.
const text =
  String.raw`# Completes the words of sluice: verbs, options, fixed choices, and names of objects in the cluster.
_sluice_place() {
  verbs='' first='' second='' flags=''
  case "$1" in
CASES
    *) return 1 ;;
  esac
}
_sluice_names() {
  case "$1" in
    cluster|clusters) "\x24{COMP_WORDS[0]}" get clusters $installed -o name ;;
    rule|rules|policy|policies|pod|pods|device|devices)
      case "$1" in pod|pods) set -- "$1" $namespace ;; esac
      "\x24{COMP_WORDS[0]}" get "$@" $where -o name ;;
    namespace|namespaces)
      "\x24{COMP_WORDS[0]}" get pods -A $where -o 'jsonpath={range .items[*]}namespace/{.metadata.namespace}{"\n"}{end}' ;;
    context|contexts) kubectl config get-contexts $where -o name | sed 's,^,context/,' ;;
    node|nodes) kubectl get nodes $where -o name ;;
  esac 2>/dev/null | sed -n 's,^[^/]*/,,; /^[A-Za-z0-9][A-Za-z0-9._\/-]*$/p' | sort -u
}
_sluice() {
  local word last='' place='' given='' count=0 where='' namespace='' installed=''
  local verbs first second flags offered cur="\x24{COMP_WORDS[COMP_CWORD]}"
  for word in "\x24{COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do
    case "$last" in
      TAKING)
        case "$last" in
          --kubeconfig|--context) where="$where $last $word" ;;
          --stack|--table|--region|--config) installed="$installed $last $word" ;;
          -n|--namespace) namespace="$last $word" ;;
        esac
        last='' ;;
      *)
        last="$word"
        case "$word" in
          -*) ;;
          *)
            if [ $count -eq 0 ] && _sluice_place "\x24{place:+$place }$word"; then
              place="\x24{place:+$place }$word"
            else
              count=$((count + 1))
              given="$word"
            fi ;;
        esac ;;
    esac
  done
  case "\x24{COMP_WORDS[COMP_CWORD-1]}" in
VALUES
  esac
  _sluice_place "$place"
  case $count in 0) offered="$verbs $first" ;; 1) offered="$second" ;; *) offered='' ;; esac
  case "$cur" in -*) offered="$flags" ;; esac
  case "$offered" in *@*) compopt +o default 2>/dev/null ;; esac
  case "$offered" in
    *@kind) offered=$(_sluice_names "$given") ;;
    *@*) offered=$(_sluice_names "\x24{offered##*@}") ;;
    ''|' ') offered="$flags" ;;
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$cur"))
}
complete -o default -F _sluice sluice kubectl-sluice
`.replaceAll('\\x24', '$');

export function bashScript({
  places,
  options,
}: {
  readonly places: readonly Place[];
  readonly options: readonly ValueOption[];
}): string {
  const cases = places.map(({ path, aliases, words, arguments: [first = [], second = []], flags }) => {
    const is = [path, ...aliases].map((one) => `'${one}'`).join('|');
    return `    ${is}) verbs='${words.join(' ')}' first='${first.join(' ')}' second='${second.join(' ')}' flags='${flags.join(' ')}' ;;`;
  });
  const [fixed, free] = [
    options.filter(({ values }) => values.length > 0),
    options.filter(({ values }) => values.length === 0),
  ];
  const values = [
    ...fixed.map((one) => `    ${namesOf([one])}) COMPREPLY=($(compgen -W ${offeredBy(one)} -- "$cur")); return ;;`),
    // An empty COMPREPLY makes the shell complete file names.
    `    ${namesOf(free)}) COMPREPLY=(); return ;;`,
  ];
  return text
    .replace('VALUES', () => values.join('\n'))
    .replace('TAKING', () => namesOf(options))
    .replace('CASES', () => cases.join('\n'));
}

function offeredBy({ values }: ValueOption): string {
  const [first = ''] = values;
  return first.startsWith('@') ? `"$(_sluice_names ${first.slice(1)})"` : `'${values.join(' ')}'`;
}

function namesOf(options: readonly ValueOption[]): string {
  return options.flatMap(({ names }) => names).join('|');
}
