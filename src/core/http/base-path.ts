/** Path under which all endpoints are (rule HTTP-1). */
export const basePath = 'external/apis/v1.0';
