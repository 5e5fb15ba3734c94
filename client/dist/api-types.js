/*
 * The types of the API, made from /openapi.json by `npm run build:client`. Do not edit them here.
 */
export {};
