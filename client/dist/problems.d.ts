import type { components } from './api-types.js';
type Schemas = components['schemas'];
/** Every problem document (RFC 9457) that an operation can give; `code` tells them apart. */
export type Problem = {
    [Name in keyof Schemas]: Name extends `${string}Problem` ? Schemas[Name] : never;
}[keyof Schemas];
export type ProblemCode = Problem['code'];
/** A refusal of the service. `problem.code` says why; `problem.type` is the address of a page about it. */
export declare class HoldfastError extends Error {
    readonly name = "HoldfastError";
    readonly problem: Problem;
    readonly response: Response;
    constructor(problem: Problem, response: Response);
}
/** An answer that is neither a success nor a problem document: of a proxy, or of something else than Holdfast. */
export declare class UnexpectedAnswerError extends Error {
    readonly name = "UnexpectedAnswerError";
    readonly response: Response;
    constructor(response: Response);
}
/** Whether a value is a problem document of the service. */
export declare function isProblem(value: unknown): value is Problem;
/** The outcome of a call: `data`, or `error` where it was refused. */
interface Outcome {
    data?: unknown;
    error?: unknown;
    response: Response;
}
/** What a call gives when it succeeds. */
type DataOf<Result> = Result extends {
    data: infer Data;
} ? Data : never;
/** The data of a call. Throws a HoldfastError when it was refused, an UnexpectedAnswerError when nobody knows. */
export declare function orThrow<Result extends Outcome>(call: Promise<Result>): Promise<DataOf<Result>>;
export {};
