import type { FlowState } from './flow-state.ts'

/** Holds the current state and notifies of changes. */
export class FlowStore {
  state: FlowState
  private readonly listeners = new Set<() => void>()

  constructor(state: FlowState) {
    this.state = state
  }

  subscribe(listener: () => void): void {
    this.listeners.add(listener)
  }

  set(change: Partial<FlowState>): void {
    this.replace({ ...this.state, ...change })
  }

  replace(state: FlowState): void {
    this.state = state
    for (const listener of this.listeners) listener()
  }
}
