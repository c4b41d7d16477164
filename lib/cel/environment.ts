// The language features of selectors by Kubernetes release and feature gates: libraries, macros and the fields of a device.

import type { Environment } from './checking.ts';
import { declarations, type FunctionDeclaration } from './declare.ts';
import { before137, inclusion136 } from './library/before137.ts';
import { conversions } from './library/conversions.ts';
import { formats } from './library/formats.ts';
import { ips, networks, networksOf131 } from './library/ips.ts';
import { inclusion, lists } from './library/lists.ts';
import { listsExt } from './library/listsExt.ts';
import { maps } from './library/maps.ts';
import { operators } from './library/operators.ts';
import { optionalLists, optionals } from './library/optionals.ts';
import { quantities } from './library/quantities.ts';
import { regexes } from './library/regexes.ts';
import { normalizedSemvers, semvers } from './library/semvers.ts';
import { sets } from './library/sets.ts';
import { strings } from './library/strings.ts';
import { times } from './library/times.ts';
import { urls } from './library/urls.ts';
import { type MacroSet, macroSet } from './macros.ts';
import {
  any,
  bool,
  device,
  dyn,
  listOf,
  mapOf,
  optionalOf,
  quantity,
  string,
  type Type,
  typeNames,
  typeOf,
} from './types.ts';

export const releases = ['1.31', '1.32', '1.33', '1.34', '1.35', '1.36', '1.37'] as const;
/** Kubernetes minor releases with a known selector language. */
export type Release = (typeof releases)[number];
export const newestRelease: Release = '1.37';

/** Feature gates that change the language; both default to on, in releases that have them. */
export interface Gates {
  /** `device.allowMultipleAllocations`, from 1.34. */
  readonly DRAConsumableCapacity?: boolean;
  /** List values of attributes, from 1.36. */
  readonly DRAListTypeAttributes?: boolean;
}

export interface Language {
  readonly environment: Environment;
  readonly macros: MacroSet;
  /** Whether a device may have list values; otherwise every selector fails on such a device. */
  readonly listAttributes: boolean;
  /** Before 1.37 an optional in a variable or a conditional loses values that have no native form. */
  readonly nativeOptionals: boolean;
  /** Up to 1.36, `or` and `orValue` of a value that is not an optional return that value; later this is an error. */
  readonly laxAlternatives: boolean;
  /** The static type of attribute values, which a selector may return besides bool. */
  readonly attributeType: Type;
}

export interface LanguageOptions {
  readonly release: Release;
  readonly gates: Gates;
}

export function languageOf({ release, gates }: LanguageOptions): Language {
  const minor = Number(release.slice(2));
  const listAttributes = minor >= 36 && gates.DRAListTypeAttributes !== false;
  const multipleAllocations = minor >= 34 && gates.DRAConsumableCapacity !== false;
  return {
    environment: {
      declarations: declarations(librariesOf(minor, listAttributes)),
      variables: new Map([['device', device]]),
      types: nameableTypes,
      fields: new Map([['kubernetes.DRADevice', deviceFields({ listAttributes, multipleAllocations })]]),
    },
    macros: macroSet({ twoVariables: minor >= 32, sortBy: minor >= 34 }),
    listAttributes,
    nativeOptionals: minor < 37,
    laxAlternatives: minor < 37,
    attributeType: listAttributes ? dyn : any,
  };
}

function librariesOf(minor: number, listAttributes: boolean): readonly (readonly FunctionDeclaration[])[] {
  return [
    operators,
    conversions,
    times,
    regexes,
    strings,
    lists,
    sets,
    optionals,
    quantities,
    semvers,
    urls,
    ips,
    minor >= 32 ? networks : networksOf131,
    formats,
    ...(minor >= 32 ? [maps] : []),
    ...(minor >= 33 ? [optionalLists, normalizedSemvers] : []),
    ...(minor >= 34 ? [listsExt] : []),
    ...(minor >= 37 ? [inclusion] : listAttributes ? [inclusion136] : []),
    ...(minor < 37 ? [before137(minor)] : []),
  ];
}

const nameableTypes: ReadonlyMap<string, Type> = new Map([
  ...typeNames,
  ['list', listOf(dyn)],
  ['map', mapOf(dyn, dyn)],
  ['type', typeOf(dyn)],
  ['optional_type', optionalOf(dyn)],
]);

interface DeviceShape {
  readonly listAttributes: boolean;
  readonly multipleAllocations: boolean;
}

/** Fields of `kubernetes.DRADevice`. */
function deviceFields({ listAttributes, multipleAllocations }: DeviceShape): ReadonlyMap<string, Type> {
  return new Map([
    ['driver', string],
    ['attributes', mapOf(string, mapOf(string, listAttributes ? dyn : any))],
    ['capacity', mapOf(string, mapOf(string, quantity))],
    ...(multipleAllocations ? [['allowMultipleAllocations', bool] as const] : []),
  ]);
}
