export const tokenTypes = ['hub', 'business', 'publishable', 'session', 'manage'] as const
export type TokenType = (typeof tokenTypes)[number]
