/** Sends a request, like the global `fetch`. */
export type Send = (request: Request) => Promise<Response>;
/** Time, as far as a client needs it; tests put their own in its place. */
export interface Time {
    /** Milliseconds since some moment; never set back. */
    nowMs(): number;
    /** Waits, or throws the reason of the signal as soon as that is aborted. */
    wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}
export interface RetryOptions {
    /** How often a request is sent at most, the first time included. */
    attempts: number;
    /** The longest wait before one more attempt, in seconds; when more is asked for, the answer is given as it is. */
    longestWaitSeconds: number;
    /** How long each attempt may take, in seconds. */
    timeoutSeconds: number;
}
/** Sends each request again after a 429 or 503, once the seconds of `Retry-After` have passed. */
export declare function sendWithRetries(send: Send, time: Time, options: RetryOptions): Send;
export declare const systemTime: Time;
