import type english from '../../../texts/console/en.json'
import type { TextParameters } from './text-parameters.ts'

/*
 * The types of texts/console: keys as nested groups, a message with parameters as a function. A key that does not exist or a
 * missing parameter does not compile.
 */

type Message<Key> = Key extends keyof TextParameters ? (values: TextParameters[Key]) => string : string

type Head<Key> = Key extends `${infer First}.${string}` ? First : Key
type Rest<Key, First extends string> = Key extends `${First}.${infer Later}` ? Later : never

type Group<Key extends string, Path extends string> = {
  [Name in Head<Key> & string]: Name extends Key
    ? Message<`${Path}${Name}`>
    : Group<Rest<Key, Name>, `${Path}${Name}.`>
}

/** The texts of a language, such as `calendar.title`. */
export type TextGroups = Group<keyof typeof english, ''>

/** Returns the text for a code of the API, if the group has one. */
export function textFor<Text>(group: Record<string, Text>, code: string): Text | undefined {
  return Object.hasOwn(group, code) ? group[code] : undefined
}
