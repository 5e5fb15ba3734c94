import createClient, {} from 'openapi-fetch';
import { sendWithRetries, systemTime } from "./send-with-retries.js";
import { sendWithSession } from "./send-with-session.js";
export { HoldfastError, isProblem, orThrow, UnexpectedAnswerError } from "./problems.js";
const usualRetries = { attempts: 3, longestWaitSeconds: 30, timeoutSeconds: 30 };
/**
 * A client of the Holdfast API. Every answer and every problem has its type. A request that is answered by 429 or 503 is
 * sent again after `Retry-After`; a creation carries an `Idempotency-Key`, so that it happens once all the same.
 */
export function createHoldfastClient(options, time = systemTime) {
    const { baseUrl, retries, fetch: send = (request) => fetch(request) } = options;
    const patient = sendWithRetries(send, time, { ...usualRetries, ...retries });
    const authorized = 'key' in options
        ? withKey(patient, options.key)
        : sendWithSession(patient, time, {
            baseUrl,
            publishableKey: options.publishableKey,
            previousSession: options.previousSession,
            onSession: options.onSession ?? (() => undefined),
        });
    return createClient({ baseUrl, fetch: once(authorized) });
}
function withKey(send, key) {
    return (request) => {
        request.headers.set('authorization', `Bearer ${key}`);
        return send(request);
    };
}
/** Names each creation, so that one whose answer was lost can be repeated. */
function once(send) {
    return (request) => {
        const { headers, method } = request;
        if (method === 'POST' && !headers.has('idempotency-key')) {
            headers.set('idempotency-key', crypto.randomUUID());
        }
        return send(request);
    };
}
