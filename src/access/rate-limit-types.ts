/** The limits of requests that are counted together, for each window. */
export interface Quota {
  /** Counts of different kinds are separate. */
  kind:
    | 'key'
    | 'sessions'
    | 'exchange'
    | 'start'
    | 'feed'
    | 'page'
    | 'push'
    | 'stranger'
    | 'login'
    | 'account'
    | 'mail'
    | 'program'
  /**
   * For `key` the ID of a key, session or person. For `account` the digest of an email address, alone or before a
   * network address. For `mail` its sender or recipient. For `program` also `all`. Otherwise an IPv4 address, IPv6 /64 or /48, which follows the
   * business ID for `sessions`.
   */
  id: string
  perMinute: number
  /** Null for no hourly limit. */
  perHour: number | null
}

/** A fixed window, which its first counted request opens. */
export interface Window {
  used: number
  endsAtMs: number
}

/** The windows of a quota. Null for one that is not open or that the quota lacks. */
export interface Windows {
  minute: Window | null
  hour: Window | null
}

export interface CountResult {
  /** True if the request was counted in every window of its quotas. Otherwise one was full and none counted it. */
  counted: boolean
  /** For each quota, in order, after the count. */
  windows: Windows[]
}

/** Stores windows. Counting is atomic: simultaneous requests never exceed a limit. */
export interface WindowStore {
  /**
   * Counts a request in all windows of its quotas in one step, or in none if one is full. `owner` names the tenant, so
   * that no tenant starves another when requests wait.
   */
  count(quotas: readonly Quota[], nowMs: number, owner?: string): Promise<CountResult>
  /** Counts once on each connection, so that no request pays for a connection's first statement. */
  start?(quotas: readonly Quota[], nowMs: number): Promise<void>
  close(): Promise<void>
}

/** A store that remembers its latest counts in this process. */
export interface PeekableStore extends WindowStore {
  /** Returns the open windows of each quota, as far as this process knows them. Counts nothing. */
  peek(quotas: readonly Quota[], nowMs: number): Windows[]
}
