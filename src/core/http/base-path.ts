/** Rule HTTP-1. */
export const basePath = 'external/apis/v1.0';
