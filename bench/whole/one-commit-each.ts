import { CommitGroup } from '../../src/database/commit-group.ts'

/* Loaded before the service (node --import): each transaction on SQLite then has a commit of its own. */

Object.defineProperty(CommitGroup.prototype, 'isFull', { get: () => true })
