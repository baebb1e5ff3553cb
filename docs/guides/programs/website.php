<?php
// Serves form.html and sends what it posts.
// API_URL=https://… API_KEY=… php -S 127.0.0.1:8080 website.php
if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    readfile(__DIR__ . ($_SERVER['REQUEST_URI'] === '/ar' ? '/form-ar.html' : '/form.html'));
    return;
}

function sendLead(array $lead, string $language, int $tries = 4, float $pause = 0.5): array
{
    $headers = ['api-key: ' . getenv('API_KEY'), 'content-type: application/json', "language: $language"];
    $options = ['method' => 'POST', 'header' => $headers, 'content' => json_encode($lead)];
    $context = stream_context_create(['http' => $options + ['timeout' => 10, 'ignore_errors' => true]]);
    $body = @file_get_contents(getenv('API_URL') . '/external/apis/v1.0/leads', false, $context);
    $lines = ($http_response_header ?? []) ?: ['HTTP/1.1 503'];
    $status = (int) explode(' ', $lines[0])[1];
    preg_match('/^x-error-code: (\S+)/mi', implode("\n", $lines), $code);
    preg_match('/^retry-after: (\d+)/mi', implode("\n", $lines), $asked);
    // Such fields are stored nowhere: correct their names.
    if (preg_match('/^x-ignored-fields: (.+)/mi', implode("\n", $lines), $ignored)) {
        error_log("ignored $ignored[1]");
    }
    if ($tries === 1 || ($status < 500 && !in_array($status, [408, 409, 429]))) {
        return [$status, $code[1] ?? error_get_last()['message'] ?? null, json_decode($body ?: '{}', true)['message'] ?? null];
    }
    usleep((int) (1e6 * max($pause, (float) ($asked[1] ?? 0))));
    return sendLead($lead, $language, $tries - 1, $pause * 2);
}

header('content-type: text/plain; charset=utf-8');
// Only programs fill the hidden field; they get no hint that they were recognized.
if (($_POST['website'] ?? '') !== '') {
    echo 'Thank you · شكرًا لك';
    return;
}
// The id makes retries safe, by this program and by an impatient visitor.
$lead = ['recordSystemId' => ($_POST['submission'] ?? '') ?: bin2hex(random_bytes(16))];
// A field that is empty is sent as null: an empty text is not valid.
$lead += ['name' => $_POST['name'] ?? null, 'phoneNumber' => $_POST['phone'] ?? null, 'email' => ($_POST['email'] ?? '') ?: null];
$language = ($_POST['language'] ?? '') === 'ar-eg' ? 'ar-eg' : 'en-us';
[$status, $code, $message] = sendLead($lead, $language);
// Thank a person who is already known, too: whose lead the phone belongs to does not concern the visitor.
if ($status < 300 || $code === 'lead.duplicate_phone') {
    echo 'Thank you · شكرًا لك';
} elseif ($code === 'validation.failed') {
    http_response_code(400);
    echo implode("\n", $message);
} else {
    error_log("not sent $status $code " . json_encode($lead + ['language' => $language]));
    http_response_code(503);
    echo 'Please try again later · يرجى المحاولة لاحقًا';
}
