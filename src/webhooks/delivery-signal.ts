/** Tells the worker of this process that deliveries are due, so that it need not wait for its next look. */
export class DeliverySignal {
  private hear: (() => void) | undefined

  /** Whether this process delivers at all: the command line does not. */
  get isHeard(): boolean {
    return this.hear !== undefined
  }

  /** From now on `hear` is called at each signal, until undefined takes its place. */
  listen(hear: (() => void) | undefined): void {
    this.hear = hear
  }

  raise(): void {
    this.hear?.()
  }
}
