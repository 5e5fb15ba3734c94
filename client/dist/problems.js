/** A refusal of the service. `problem.code` says why; `problem.type` is the address of a page about it. */
export class HoldfastError extends Error {
    name = 'HoldfastError';
    problem;
    response;
    constructor(problem, response) {
        super(`${problem.code}: ${problem.detail}`);
        this.problem = problem;
        this.response = response;
    }
}
/** An answer that is neither a success nor a problem document: of a proxy, or of something else than Holdfast. */
export class UnexpectedAnswerError extends Error {
    name = 'UnexpectedAnswerError';
    response;
    constructor(response) {
        super(`The answer is ${response.status.toString()} without a problem document.`);
        this.response = response;
    }
}
/** Whether a value is a problem document of the service. */
export function isProblem(value) {
    return (typeof value === 'object' &&
        value !== null &&
        'code' in value &&
        'type' in value &&
        value.type === `/problems/${String(value.code)}`);
}
/** The data of a call. Throws a HoldfastError when it was refused, an UnexpectedAnswerError when nobody knows. */
export async function orThrow(call) {
    const { data, error, response } = await call;
    if (response.ok)
        return data;
    throw isProblem(error) ? new HoldfastError(error, response) : new UnexpectedAnswerError(response);
}
