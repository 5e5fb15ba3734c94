/** The wait after an answer that names none, in seconds. */
const usualWaitSeconds = 1;
/** Sends each request again after a 429 or 503, once the seconds of `Retry-After` have passed. */
export function sendWithRetries(send, time, options) {
    return async (request) => {
        for (let attempt = 1;; attempt += 1) {
            const response = await send(bounded(request, options.timeoutSeconds));
            if (attempt >= options.attempts || ![429, 503].includes(response.status))
                return response;
            const seconds = secondsToWait(response);
            if (seconds > options.longestWaitSeconds)
                return response;
            await response.body?.cancel(); // else its connection would wait to be read
            await time.wait(seconds * 1000, request.signal);
        }
    };
}
/** A copy, so that the body can be sent again. */
function bounded(request, timeoutSeconds) {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutSeconds * 1000)]);
    return new Request(request.clone(), { signal });
}
/** RFC 9110, section 10.2.3: seconds or a date. */
function secondsToWait(response) {
    const asked = response.headers.get('retry-after');
    if (asked === null)
        return usualWaitSeconds;
    if (/^\d+$/.test(asked))
        return Number(asked);
    const seconds = (Date.parse(asked) - Date.now()) / 1000;
    return Number.isNaN(seconds) ? usualWaitSeconds : Math.max(0, seconds);
}
export const systemTime = {
    nowMs: () => performance.now(),
    wait: (milliseconds, signal) => new Promise((resolve, reject) => {
        const aborted = () => {
            clearTimeout(timer);
            reject(signal.reason);
        };
        const timer = setTimeout(() => {
            signal.removeEventListener('abort', aborted);
            resolve();
        }, milliseconds);
        if (signal.aborted)
            aborted();
        else
            signal.addEventListener('abort', aborted, { once: true });
    }),
};
