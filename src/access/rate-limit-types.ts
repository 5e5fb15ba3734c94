/** Requests that are counted together, and how many are allowed in each window. */
export interface Quota {
  /** Counts of different kinds never meet. */
  kind:
    'key' | 'sessions' | 'exchange' | 'start' | 'feed' | 'page' | 'stranger' | 'login' | 'account' | 'mail'
  /**
   * For `key` the ID of a key, session or person; else an IPv4 address, IPv6 /64 or /48, for `sessions` after the business
   * ID. For `account` the digest of an e-mail address, alone or before an address. For `mail` whom it is from, or to.
   */
  id: string
  perMinute: number
  /** Null for no hourly limit. */
  perHour: number | null
}

/** A fixed window: its first counted request opens it. */
export interface Window {
  used: number
  endsAtMs: number
}

/** The windows of a quota; null for one that is not open (or that the quota does not have). */
export interface Windows {
  minute: Window | null
  hour: Window | null
}

export interface CountResult {
  /** Whether the request was counted, in every window of its quotas; else one was full and none counted it. */
  counted: boolean
  /** For each quota, in order, after the count. */
  windows: Windows[]
}

/** Stores windows. Counting is atomic: of simultaneous requests, no more are counted than fit. */
export interface WindowStore {
  /**
   * Counts a request in all windows of its quotas in one step, or in none when one is full. `owner` names the tenant: where
   * requests wait, none starves another.
   */
  count(quotas: readonly Quota[], nowMs: number, owner?: string): Promise<CountResult>
  /** Counts once on each connection, so that no request pays for a connection's first statement. */
  start?(quotas: readonly Quota[], nowMs: number): Promise<void>
  close(): Promise<void>
}

/** A store that remembers its latest counts in this process. */
export interface PeekableStore extends WindowStore {
  /** The open windows of each quota, as far as this process knows them; counts nothing. */
  peek(quotas: readonly Quota[], nowMs: number): Windows[]
}
