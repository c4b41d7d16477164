// Upgrades: the functions read messages as released versions wrote them, and those of a later release that adds members.
import { describe, expect, it } from 'vitest';
import { parseChange } from '../../../lib/adapters/sqs/changes.ts';
import {
  parseEvaluateMessage,
  parseEvictMessage,
  parseReportMessage,
  parseResendMessage,
} from '../../../lib/adapters/sqs/messages.ts';
import { formatMessage } from '../../../lib/adapters/sqs/wire.ts';

/** Message bodies as a release wrote them. Never edit them, only add to them. */
const releases = {
  '0.2.0': [
    [
      'a pod',
      parseChange,
      '{"version":1,"type":"Upserted","incarnation":"uid-0","object":{"kind":"Pod","namespace":"ml","name":"trainer-0","uid":"u1","resourceVersion":"12","creationTimestamp":1795000000000,"nodeName":"n1","priority":0,"resourceClaims":[{"name":"gpu","resourceClaimTemplateName":"one"}],"resourceClaimStatuses":[{"name":"gpu","resourceClaimName":"trainer-0-gpu"}],"labels":{"app":"a"}}}',
    ],
    [
      'a claim',
      parseChange,
      '{"version":1,"type":"Deleted","incarnation":"uid-0","object":{"kind":"ResourceClaim","namespace":"ml","name":"trainer-0-gpu","uid":"u2","resourceVersion":"13","reservedFor":[{"resource":"pods","name":"trainer-0","uid":"u1"}],"allocation":{"devices":[{"request":"gpu","driver":"gpu.example.com","pool":"n1","device":"gpu-0","tolerations":[{"operator":"Exists","effect":"NoSchedule"}]}]}}}',
    ],
    [
      'a slice',
      parseChange,
      '{"version":1,"type":"Upserted","incarnation":"uid-0","object":{"kind":"ResourceSlice","name":"n1","uid":"u3","resourceVersion":"14","driver":"gpu.example.com","pool":{"name":"n1","generation":1},"devices":[{"name":"gpu-0","taints":[{"key":"k","effect":"NoExecute","timeAdded":1795000000000}]}]}}',
    ],
    [
      'a rule',
      parseChange,
      '{"version":1,"type":"Upserted","incarnation":"uid-0","object":{"kind":"DeviceTaintRule","name":"broken","uid":"u4","resourceVersion":"15","generation":1,"deviceSelector":{"driver":"gpu.example.com"},"taint":{"key":"k","value":"v","effect":"NoExecute","timeAdded":1795000000000},"annotations":{"sluice.dev/burst":"5"}}}',
    ],
    [
      'a manifest',
      parseChange,
      '{"version":1,"type":"Manifest","incarnation":"uid-0","kind":"Pod","from":0,"to":255,"resourceVersion":"16","entries":[{"key":"ml/trainer-0","uid":"u1","resourceVersion":"12"}]}',
    ],
    [
      'an object that is absent',
      parseChange,
      '{"version":1,"type":"Absent","incarnation":"uid-0","kind":"Pod","key":"ml/trainer-0","resourceVersion":"16"}',
    ],
    [
      'rows that are due',
      parseChange,
      '{"version":1,"type":"Due","incarnation":"uid-0","rows":[{"pk":"prod@uid-0#POD#1","sk":"ml/trainer-0"}]}',
    ],
    [
      'a request for objects',
      parseResendMessage,
      '{"version":1,"cluster":"prod@uid-0","objects":[{"kind":"Pod","key":"ml/trainer-0"}]}',
    ],
    [
      'a heartbeat',
      parseChange,
      '{"version":1,"type":"Heartbeat","incarnation":"uid-0","at":1795000000000,"clockOffset":-3,"watched":{"DeviceTaintRule":"v1"}}',
    ],
    [
      'pods to evaluate',
      parseEvaluateMessage,
      '{"version":1,"cluster":"prod@uid-0","pods":["ml/trainer-0"],"chunk":{"cause":"broken","epoch":"u4/1","id":"15.0"}}',
    ],
    ['a limiter', parseEvictMessage, '{"version":1,"cluster":"prod@uid-0","limiter":"rule|u4"}'],
    [
      'an intent that is due',
      parseEvictMessage,
      '{"version":1,"cluster":"prod@uid-0","rows":[{"pk":"prod@uid-0#INTENT#3","sk":"u1"}]}',
    ],
    ['a rule to report', parseReportMessage, '{"version":1,"cluster":"prod@uid-0","rule":"broken"}'],
    [
      'an Event',
      parseReportMessage,
      '{"version":1,"cluster":"prod@uid-0","event":{"name":"trainer-0.1","regarding":{"namespace":"ml","name":"trainer-0","uid":"u1"},"type":"Normal","reason":"DeviceTaintManagerEviction","message":"Marking for deletion","at":1795000000000}}',
    ],
  ],
} as const;

describe.each(Object.entries(releases))('messages of release %s', (_, messages) => {
  it.each(messages)('a message of a release is read completely: %s', (_name, parse, body) => {
    const { version: _version, ...expected } = JSON.parse(body);
    expect(parse(body)).toEqual({ kind: 'Parsed', value: expected });
  });

  it.each(messages)('%s is read with members that a later release adds', (_name, parse, body) => {
    const { version: _version, ...expected } = JSON.parse(body);
    const later = JSON.stringify({ ...JSON.parse(body), addedLater: { anything: true } });
    expect(parse(later)).toEqual({ kind: 'Parsed', value: expected });
  });

  it.each(messages)('%s of an unknown version is refused with the remedy', (_name, parse, body) => {
    const later = JSON.stringify({ ...JSON.parse(body), version: 2 });
    expect(parse(later)).toEqual({
      kind: 'Poison',
      why: 'message version 2 is not 1: upgrade the functions before the watcher',
    });
  });

  it.each(messages)('a message is written as the release wrote it: %s', (_name, _parse, body) => {
    const { version: _version, ...value } = JSON.parse(body);
    expect(formatMessage(value)).toBe(body);
  });
});
