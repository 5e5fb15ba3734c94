import type { ProgramScope } from '../database/tables.ts'

/** The rights of programs. Each includes the ones before it. */
export const programScopes = ['read', 'book', 'manage'] as const satisfies readonly ProgramScope[]
