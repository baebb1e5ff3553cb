<?php

// Sends requests with PHP's streams: see `clients.ts`.

// Standard output is for responses only.
ini_set('display_errors', 'stderr');

[, $url, $mode] = $argv;

foreach (array_slice($argv, 3) as $request) {
    [$key, $size] = explode(':', $request);
    $isRead = $size === '0';
    $options = [
        'method' => $isRead ? 'GET' : 'POST',
        'header' => ["api-key: $key", 'Content-Type: application/json'],
        'content' => $isRead ? '' : '{"name":"' . str_repeat('x', (int) $size - 11) . '"}',
        'protocol_version' => $mode === 'http1.0' ? 1.0 : 1.1,
        'ignore_errors' => true,
        'timeout' => 60,
    ];
    $body = file_get_contents($url . ($isRead ? '/compounds' : '/leads'), false, stream_context_create(['http' => $options]));
    if ($body === false) {
        exit(1);
    }
    [, $status] = explode(' ', $http_response_header[0]);
    $codes = preg_filter('/^x-error-code: /i', '', $http_response_header);
    $received = ['status' => (int) $status, 'errorCode' => implode($codes), 'body' => json_decode($body)];
    echo json_encode($received), "\n";
}
