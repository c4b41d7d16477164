// Which intrinsic functions of a template are resolved, and to what; all others are refused by name.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of CloudFormation, not of TypeScript
import { describe, expect, it } from 'vitest';
import { type Physical, pseudoParameters, resolveValue, type Scope } from '../../../lib/local/aws/intrinsics.ts';

const url = 'http://127.0.0.1:1/000000000000/Sluice-work';
const scope: Scope = new Map<string, Physical>([
  ...pseudoParameters('Sluice'),
  ['Work1', { ref: url, attributes: { Arn: 'arn:work', QueueName: 'Sluice-work' } }],
  ['Table1', { ref: 'table', attributes: { Arn: 'arn:table' } }],
]);

describe('a value of the template', () => {
  it.each<[string, unknown, string]>([
    ['text', 'as it is', 'as it is'],
    ['text that looks like a substitution', '${Work1}', '${Work1}'],
    ['a number', 12, '12'],
    ['a boolean', true, 'true'],
    ['Ref of a queue', { Ref: 'Work1' }, url],
    ['Ref of a table', { Ref: 'Table1' }, 'table'],
    ['Ref of a pseudo parameter', { Ref: 'AWS::AccountId' }, '000000000000'],
    ['Ref of the stack name', { Ref: 'AWS::StackName' }, 'Sluice'],
    ['GetAtt', { 'Fn::GetAtt': ['Work1', 'Arn'] }, 'arn:work'],
    ['GetAtt as text', { 'Fn::GetAtt': 'Work1.QueueName' }, 'Sluice-work'],
    ['Join', { 'Fn::Join': ['-', ['a', { Ref: 'AWS::Region' }, 'b']] }, 'a-us-east-1-b'],
    ['Join of a Join', { 'Fn::Join': ['', [{ 'Fn::Join': ['', ['a', 'b']] }, 'c']] }, 'abc'],
    ['Sub', { 'Fn::Sub': 'x ${Table1} ${Work1.Arn} ${AWS::Partition}' }, 'x table arn:work aws'],
    ['Sub with values of its own', { 'Fn::Sub': ['${a}${Table1}', { a: { Ref: 'AWS::Region' } }] }, 'us-east-1table'],
    ['Sub of a literal', { 'Fn::Sub': '${!Work1}' }, '${Work1}'],
  ])('an intrinsic function of the template becomes its value: %s', (_, value, expected) => {
    expect(resolveValue(value, scope, 'Worker1 variable X')).toBe(expected);
  });

  it.each<[string, unknown]>([
    ['Ref of what is not known', { Ref: 'Bucket1' }],
    ['an attribute that is not known', { 'Fn::GetAtt': ['Table1', 'StreamArn'] }],
    ['ImportValue', { 'Fn::ImportValue': 'other' }],
    ['Select', { 'Fn::Select': [0, ['a']] }],
    ['a dynamic object', { a: 1 }],
    ['null', null],
    ['a name inside a Sub', { 'Fn::Sub': '${Bucket1}' }],
    ['a part of a Join', { 'Fn::Join': ['', ['a', { Ref: 'Bucket1' }]] }],
    ['two functions at once', { Ref: 'Work1', 'Fn::GetAtt': ['Work1', 'Arn'] }],
  ])('a value that cannot be resolved is refused with its place: %s', (_, value) => {
    expect(() => resolveValue(value, scope, 'Worker1 variable X')).toThrow(
      /^template: Worker1 variable X: .* cannot be resolved locally$/,
    );
  });
});
