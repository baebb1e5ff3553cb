export const livenessPath = '/livez';
export const readinessPath = '/readyz';
