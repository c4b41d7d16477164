// Completion script for fish; pure.
import type { Place, ValueOption } from './completionPlaces.ts';

const text = `# Completes the words of sluice: verbs, options, fixed choices, and names of objects in the cluster.
function __sluice_words
    set -l taking TAKING
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
        else if contains -- $word $taking
            set skip 1
        else if not string match -q -- '-*' $word
            echo $word
        end
    end
end
# Whether the words before the cursor are one of these paths, and so many arguments.
function __sluice_at
    set -l words (__sluice_words)
    set -l count $argv[1]
    for path in $argv[2..-1]
        set -l parts (string split -n ' ' -- $path)
        set -l depth (count $parts)
        test (count $words) -eq (math $depth + $count); or continue
        test $depth -eq 0; and return 0
        test "$words[1..$depth]" = "$path"; and return 0
    end
    return 1
end
# Whether they begin with one of these paths.
function __sluice_below
    set -l words (__sluice_words)
    for path in $argv
        set -l depth (count (string split -n ' ' -- $path))
        test $depth -gt 0; and test (count $words) -ge $depth; or continue
        test "$words[1..$depth]" = "$path"; and return 0
    end
    return 1
end
function __sluice_names
    set -l kind $argv[1]
    test "$kind" = kind; and set kind (__sluice_words)[-1]
    set -l where
    set -l installed
    set -l words (commandline -opc)
    for at in (seq (count $words))
        switch $words[$at]
            case --kubeconfig --context
                set -a where $words[$at] $words[(math $at + 1)]
            case --stack --table --region --config
                set -a installed $words[$at] $words[(math $at + 1)]
            case -n --namespace
                contains -- $kind pod pods; and set -a where $words[$at] $words[(math $at + 1)]
        end
    end
    switch $kind
        case cluster clusters
            $words[1] get clusters $installed -o name 2>/dev/null | string replace -r '^[^/]*/' ''
        case rule rules policy policies pod pods device devices
            $words[1] get $kind $where -o name 2>/dev/null | string replace -r '^[^/]*/' ''
        case namespace namespaces
            $words[1] get pods -A $where -o 'jsonpath={range .items[*]}{.metadata.namespace}{"\\n"}{end}' 2>/dev/null | sort -u
        case context contexts
            kubectl config get-contexts $where -o name 2>/dev/null
        case node nodes
            kubectl get nodes $where -o name 2>/dev/null | string replace -r '^node/' ''
    end
end
LINES
`;

export function fishScript({
  places,
  options,
}: {
  readonly places: readonly Place[];
  readonly options: readonly ValueOption[];
}): string {
  const lines = places.flatMap((place) => {
    const paths = pathsOf(place);
    const offers = place.words.length > 0 ? [[...place.words], ...place.arguments] : place.arguments;
    return [
      ...offers.flatMap((offer, at) =>
        offer.length === 0 ? [] : [`complete -c sluice -f -n '__sluice_at ${at} ${paths}' -a '${offered(offer)}'`],
      ),
      ...(place.path === ''
        ? []
        : [`complete -c sluice -f -n '__sluice_below ${paths}' -a '${place.flags.join(' ')}'`]),
    ];
  });
  for (const { names, values } of options) {
    const spelled = names.map((one) => (one.startsWith('--') ? `-l ${one.slice(2)}` : `-s ${one.slice(1)}`)).join(' ');
    const having = places.filter(({ flags }) => names.some((one) => flags.includes(one)));
    const offer = values.length === 0 ? '-r -F' : `-x -a '${offered(values)}'`;
    lines.push(`complete -c sluice -n '__sluice_below ${having.map(pathsOf).join(' ')}' ${spelled} ${offer}`);
  }
  const taking = options.flatMap(({ names }) => names).join(' ');
  return text
    .replace('TAKING', () => taking)
    .replace('LINES', () => `${lines.join('\n')}\ncomplete -c kubectl-sluice -w sluice`);
}

function pathsOf({ path, aliases }: Place): string {
  return [path, ...aliases].map((one) => `"${one}"`).join(' ');
}

function offered(offer: readonly string[]): string {
  const [first = ''] = offer;
  return first.startsWith('@') ? `(__sluice_names ${first.slice(1)})` : offer.join(' ');
}
