/**
 * For requests of a test that now and then holds up its thread for seconds: a connection it keeps is closed by the service meanwhile, which a
 * client only learns when it uses it again.
 */
export const ownConnection = { headers: { connection: 'close' } } as const
